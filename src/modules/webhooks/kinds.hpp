#pragma once

#include "domain/record.hpp"

/// The kinds of records of webhooks. Numbers are stored: they never change.
namespace holdfast::webhooks::kinds {

inline constexpr RecordKind received{3001};   ///< a webhook, taken in
inline constexpr RecordKind leased{3002};     ///< entries, given to a dispatcher or a worker
inline constexpr RecordKind postponed{3003};  ///< an entry that is to be seen to later
inline constexpr RecordKind completed{3004};  ///< an entry is done
inline constexpr RecordKind reopened{3005};   ///< an entry that an operator has tried again
inline constexpr RecordKind lost{3006};       ///< an entry whose lease ended without a word
inline constexpr RecordKind died{3007};       ///< an entry that is not tried again by itself

}  // namespace holdfast::webhooks::kinds
