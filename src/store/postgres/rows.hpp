#pragma once

#include "store/journal_row.hpp"
#include "store/postgres/session.hpp"

/// Rows of the tables, in the order the statements ask for their columns.
namespace holdfast::postgres {

/// Every column of the journal under the name `j`.
[[nodiscard]] inline std::string record_columns() { return journal::columns("j."); }

/// Of `state_holds` under the name `h` and its resource under `r`.
inline constexpr const char* hold_columns =
    "h.ordinal, h.salt, h.tenant, r.name, h.requester, h.resource_id, h.quantity, h.state, "
    "h.placed_us, h.expires_us, h.resolved_us, "
    "coalesce(h.confirmed, CASE WHEN h.state = 2 THEN h.quantity ELSE 0 END), h.cancelled, "
    "coalesce(h.first_expires_us, h.expires_us), h.changed_seq, coalesce(h.group_ordinal, 0), "
    "coalesce(h.group_salt, 0), coalesce(h.group_size, 0)";
inline constexpr int hold_column_count = 18;

/// The instant: parameters $1 (a clock, or NULL for the database's) and $2 (never before this).
inline constexpr const char* now_sql =
    "(SELECT greatest(coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * "
    "1000000)::bigint), latest_us, $2::bigint) FROM head)";

inline constexpr const char* head_columns =
    "seq, chain, ordinal, live, confirmed, released, expired, tokens, resources";

/// Of `module_rows` under the name `m`.
inline constexpr const char* module_row_columns =
    "m.space, m.tenant, m.key, m.version, m.position, m.due_us, m.value";
inline constexpr int module_row_column_count = 7;
[[nodiscard]] shared::KeptRow module_row_at(const Result& result, int row);
/// The numbers of all kinds of rows, as an array.
[[nodiscard]] std::string row_spaces();

[[nodiscard]] StoredRecord record_at(const Result& result, int row, int first);
[[nodiscard]] HoldFound hold_at(const Result& result, int row, int first);
[[nodiscard]] Head head_at(const Result& result, int row, int first);

[[nodiscard]] inline std::int64_t us(Instant instant) { return instant.time_since_epoch().count(); }
[[nodiscard]] inline Instant instant(std::int64_t us) { return Instant(Duration(us)); }
[[nodiscard]] inline std::int64_t number(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

/// The two parameters of `now_sql`.
[[nodiscard]] Parameters time_parameters(const Time& time);

}  // namespace holdfast::postgres
