#pragma once

#include <string_view>

#include "store/journal_row.hpp"
#include "store/mariadb/connection.hpp"
#include "store/shared/driver.hpp"

/// Rows of the tables as the values they stand for, and the other way round.
namespace holdfast::mariadb {

/// Of `journal j`, in the order of `record_at` and `write_record`.
[[nodiscard]] inline std::string record_columns() { return journal::columns("j."); }

/// The record whose columns begin there.
[[nodiscard]] shared::StoredRecord record_at(const Row& row, std::size_t first);
void write_record(Values& values, const Record& record, std::uint64_t checksum);

/// Of `state_holds h` and `state_resources r`.
inline constexpr std::string_view hold_columns =
    "h.ordinal,h.salt,h.tenant,r.name,h.requester,h.resource_id,h.quantity,h.state,h.placed_us,"
    "h.expires_us,h.resolved_us,COALESCE(h.confirmed,IF(h.state=2,h.quantity,0)),h.cancelled,"
    "COALESCE(h.first_expires_us,h.expires_us),h.changed_seq,COALESCE(h.group_ordinal,0),"
    "COALESCE(h.group_salt,0),COALESCE(h.group_size,0)";
inline constexpr std::size_t hold_column_count = 18;
[[nodiscard]] shared::HoldFound hold_of(const Row& row);

/// Of `module_rows m`.
inline constexpr std::string_view module_row_columns =
    "m.space,m.tenant,m.`key`,m.version,m.position,m.due_us,m.value";
[[nodiscard]] shared::KeptRow module_row_of(const Row& row);

/// The only row of `head`, with the server's clock: as it is when the row has been locked, or as it
/// was when the statement began.
inline constexpr std::string_view head_lock_sql =
    "SELECT seq,chain,latest_us,ordinal,live,confirmed,released,expired,tokens,resources,"
    "TIMESTAMPDIFF(MICROSECOND,'1970-01-01',SYSDATE(6)) FROM head WHERE one=1 FOR UPDATE";
inline constexpr std::string_view head_sql =
    "SELECT seq,chain,latest_us,ordinal,live,confirmed,released,expired,tokens,resources,"
    "TIMESTAMPDIFF(MICROSECOND,'1970-01-01',UTC_TIMESTAMP(6)) FROM head WHERE one=1";
[[nodiscard]] shared::Head head_of(const Row& row, const shared::Time& time);

/// What is said of a database whose `head` has no row.
[[nodiscard]] shared::Fault headless();

}  // namespace holdfast::mariadb
