#include "store/sqlite/journal.hpp"

#include <bit>
#include <cstring>

#include "store/checksum.hpp"

namespace holdfast::sqlite {
namespace {

/// Columns in the order of both statements; parameters are numbered from 1, columns from 0.
enum Column : int {
  seq,
  kind,
  at_us,
  tenant,
  principal,
  operation,
  token,
  nonce,
  digest,
  rejection,
  reason,
  hold_ordinal,
  hold_salt,
  resource,
  requester,
  quantity,
  expires_us,
  capacity,
  ref,
  times,
  first_us,
  sum
};

constexpr const char* insert_sql =
    "INSERT INTO "
    "journal(seq,kind,at_us,tenant,principal,operation,token,nonce,digest,rejection,reason,"
    "hold_ordinal,hold_salt,resource,requester,quantity,expires_us,capacity,ref,times,first_us,"
    "checksum) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

constexpr const char* select_sql =
    "SELECT seq,kind,at_us,tenant,principal,operation,token,nonce,digest,rejection,reason,"
    "hold_ordinal,hold_salt,resource,requester,quantity,expires_us,capacity,ref,times,first_us,"
    "checksum FROM journal WHERE seq>? ORDER BY seq";

std::int64_t us(Instant instant) { return instant.time_since_epoch().count(); }
Instant instant(std::int64_t us) { return Instant(Duration(us)); }

std::string_view view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

}  // namespace

Expected<JournalWriter> JournalWriter::open(Connection& connection) {
  JournalWriter writer;
  auto insert = connection.prepare(insert_sql);
  if (!insert) return tl::unexpected(insert.error());
  writer.insert_ = std::move(*insert);
  return writer;
}

int JournalWriter::append(const Record& record, std::uint64_t& chain) {
  chain = checksum(chain, record);
  const auto number = [&](Column at, std::int64_t value) {
    value == 0 ? insert_.bind_null(at + 1) : insert_.bind(at + 1, value);
  };
  const auto text = [&](Column at, std::string_view value) {
    value.empty() ? insert_.bind_null(at + 1) : insert_.bind_text(at + 1, value);
  };
  const auto blob = [&](Column at, std::string_view value) {
    value.empty() ? insert_.bind_null(at + 1) : insert_.bind_blob(at + 1, value);
  };
  number(seq, static_cast<std::int64_t>(record.seq));
  number(kind, static_cast<std::int64_t>(record.kind));
  insert_.bind(at_us + 1, us(record.at));
  text(tenant, record.tenant);
  text(principal, record.principal);
  number(operation, static_cast<std::int64_t>(record.operation));
  blob(token, record.token);
  blob(nonce, record.nonce);
  blob(digest, record.token.empty() ? std::string_view() : view(record.digest));
  number(rejection, record.rejection ? static_cast<std::int64_t>(*record.rejection) : 0);
  number(reason, static_cast<std::int64_t>(record.reason));
  number(hold_ordinal, static_cast<std::int64_t>(record.hold.ordinal));
  if (record.hold.ordinal == 0) {
    insert_.bind_null(hold_salt + 1);
  } else {
    insert_.bind(hold_salt + 1, static_cast<std::int64_t>(record.hold.salt));
  }
  text(resource, record.resource);
  text(requester, record.requester);
  number(quantity, record.quantity);
  number(expires_us, us(record.expires_at));
  number(capacity, record.capacity);
  number(ref, static_cast<std::int64_t>(record.ref));
  number(times, record.count);
  number(first_us, us(record.first_at));
  insert_.bind(sum + 1, std::bit_cast<std::int64_t>(chain));
  const int code = insert_.step();
  insert_.reset();
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

Expected<JournalReader> JournalReader::open(Connection& connection) {
  JournalReader reader;
  auto select = connection.prepare(select_sql);
  if (!select) return tl::unexpected(select.error());
  reader.select_ = std::move(*select);
  return reader;
}

void JournalReader::seek(std::uint64_t after) {
  select_.reset();
  select_.bind(1, static_cast<std::int64_t>(after));
}

int JournalReader::next(Record& record, std::uint64_t& stored_checksum) {
  const int code = select_.step();
  if (code != SQLITE_ROW) {
    select_.reset();
    return code;
  }
  as_written_ = true;
  const auto number = [&](Column at) -> std::int64_t {
    const Value value = select_.value(at);
    if (value.type() == SQLITE_NULL) return 0;
    const std::int64_t stored = value.integer();
    if (stored == 0) as_written_ = false;
    return stored;
  };
  const auto bytes = [&](Column at, int type) -> std::string_view {
    const Value value = select_.value(at);
    const int stored = value.type();
    if (stored == SQLITE_NULL) return {};
    const std::string_view text = value.bytes();
    if (stored != type || text.empty()) as_written_ = false;
    return text;
  };
  record.seq = static_cast<std::uint64_t>(number(seq));
  const std::int64_t kind_number = number(kind);
  record.kind = static_cast<RecordKind>(kind_number > 0 && kind_number < 256 ? kind_number : 0);
  record.at = instant(select_.integer(at_us));
  record.tenant = bytes(tenant, SQLITE_TEXT);
  record.principal = bytes(principal, SQLITE_TEXT);
  record.operation = operation_numbered(number(operation)).value_or(Operation::none);
  record.token = bytes(token, SQLITE_BLOB);
  record.nonce = bytes(nonce, SQLITE_BLOB);
  record.digest = {};
  const std::string_view stored_digest = bytes(digest, SQLITE_BLOB);
  if (stored_digest.size() == record.digest.bytes.size()) {
    std::memcpy(record.digest.bytes.data(), stored_digest.data(), stored_digest.size());
  }
  record.rejection = rejection_numbered(number(rejection));
  const std::int64_t reason_number = number(reason);
  record.reason =
      reason_number > 0 && reason_number < static_cast<std::int64_t>(reason_table.size())
          ? static_cast<Reason>(reason_number)
          : Reason::none;
  record.hold = {static_cast<std::uint64_t>(number(hold_ordinal)),
                 static_cast<std::uint64_t>(select_.integer(hold_salt))};
  if (select_.is_null(hold_salt) != (record.hold.ordinal == 0)) as_written_ = false;
  record.resource = bytes(resource, SQLITE_TEXT);
  record.requester = bytes(requester, SQLITE_TEXT);
  record.quantity = number(quantity);
  record.expires_at = instant(number(expires_us));
  record.capacity = number(capacity);
  record.ref = static_cast<std::uint64_t>(number(ref));
  record.count = number(times);
  record.first_at = instant(number(first_us));
  stored_checksum = std::bit_cast<std::uint64_t>(number(sum));
  return code;
}

}  // namespace holdfast::sqlite
