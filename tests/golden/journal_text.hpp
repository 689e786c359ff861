#pragma once

#include <string>

namespace holdfast::test {

/// The table `journal` of a store that nobody has open, as SQL shows it: a line for a row, all
/// columns. Columns that are not known here must be NULL, or there is a line about them at the end.
/// `store` is the name of a file or the address of a database.
[[nodiscard]] std::string journal_text(const std::string& store);

}  // namespace holdfast::test
