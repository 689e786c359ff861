#pragma once

#include <string>
#include <string_view>

namespace holdfast::sqlite {

/// SQL with its words filled in, so that the numbers in a store's views have no second home:
///   {placed}, {hold.place}, {not-known}   the stored number of a kind, operation or rejection
///   {quantity max}, {name bytes max}      the domain's bounds
///   {time x}   the instant in column x, microseconds since 1970, as RFC 3339 text
///   {hold t}   the id of the hold in row t
/// An unknown word is a bug.
[[nodiscard]] std::string with_words(std::string_view sql);

/// Views of the tables behind the numbers: `kind_names`, `operation_names`, `rejection_names`,
/// `reason_names`.
[[nodiscard]] std::string name_views_sql();

/// The `audit_*` views and what they share.
[[nodiscard]] std::string audit_views_sql();

}  // namespace holdfast::sqlite
