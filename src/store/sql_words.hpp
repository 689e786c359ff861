#pragma once

#include <string>
#include <string_view>

#include "store/views.hpp"

namespace holdfast {

/// SQL with its words filled in, so that the numbers in a store's views have no second home and one
/// text serves every engine:
///   {placed}, {hold.place}, {not-known}   the stored number of a kind, operation or rejection
///   {quantity max}, {name bytes max}      the domain's bounds
///   {time x}      the instant in column x, microseconds since 1970, as RFC 3339 text
///   {hold t}      the id of the hold in row t
///   {text x}      bytes that are text as text; other bytes are shown somehow, and never a failure
///   {hex x}       bytes in hexadecimal, empty if there are none
///   {size x}      how many bytes
///   {blank x}     whether there is nothing in x but white space
///   {say a | b}   texts and numbers, one after the other
///   {same a | b}, {differ a | b}   equality to which NULL is a value like any other
///   {detail text x | m}, {detail number x | m}   the member m of a module's detail; NULL if it has
///   none. Texts are for comparing
///   {plus a | b}, {minus a | b}, {total x}   sums that never fail, whatever is in the journal;
///   {whole x}     such a sum as a whole number
///   {period w | f | s}, {within w | x | y}   of the periods w, the one that counts for a token of
///   record f when record s is made; whether a token recorded at x is seen in it at y
/// and what is spelt differently:
///   {lookup join}   a join that goes through the rows on its left and looks up the one on its
///   right {materialized}, {zero digest}, {meta name}, {meta number}
/// Words may stand inside words. An unknown word is a bug.
[[nodiscard]] std::string with_words(Dialect dialect, std::string_view sql);

/// Views of the tables behind the numbers: `kind_names`, `operation_names`, `rejection_names`,
/// `reason_names`. No words are left in them.
[[nodiscard]] std::string name_views_sql();

/// The `audit_*` views and what they share, with words.
[[nodiscard]] std::string audit_views_sql();

}  // namespace holdfast
