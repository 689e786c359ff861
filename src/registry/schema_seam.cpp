#include "registry/schema_seam.hpp"

#if __has_include("schema/schema.hpp")
#include "schema/schema.hpp"
#endif

namespace holdfast::registry {

SchemaCompiled compile_schema([[maybe_unused]] std::string_view json) {
#if __has_include("schema/schema.hpp")
  auto compiled = schema::Schema::compile(json);
  if (!compiled)
    return tl::unexpected(
        SchemaError{std::move(compiled.error().pointer), std::move(compiled.error().text)});
  return std::move(*compiled);
#else
  return nullptr;
#endif
}

}  // namespace holdfast::registry
