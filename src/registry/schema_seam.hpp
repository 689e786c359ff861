#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "modules/commands/declaration.hpp"

namespace holdfast::registry {

struct SchemaError {
  std::string pointer;
  std::string text;
};

using SchemaCompiled = tl::expected<std::shared_ptr<const schema::Schema>, SchemaError>;

[[nodiscard]] SchemaCompiled compile_schema(std::string_view json);

}  // namespace holdfast::registry
