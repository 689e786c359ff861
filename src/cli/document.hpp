#pragma once

#include <string>

#include "cli/table.hpp"

namespace holdfast::cli {

/// A row for each member of a JSON object.
void add_members(Table& table, const std::string& document);

}  // namespace holdfast::cli
