// What is done to a store besides its daily work: letting roles in, and forgetting tokens.

#include <fmt/format.h>

#include "store/postgres/rows.hpp"
#include "store/postgres/schema.hpp"

namespace holdfast::postgres {
namespace {

/// Asked of the catalog itself: what is known of names may be from before the lock.
const Statement has_meta{"hf_has_meta",
                         "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = 'meta' AND relkind "
                         "IN ('r', 'p') AND pg_table_is_visible(oid))"};
const Statement read_meta{"hf_read_meta", "SELECT name, number, text FROM meta"};
const Statement this_schema{"hf_this_schema", "SELECT current_schema()::text"};
const Statement put_meta{
    "hf_put_meta",
    "INSERT INTO meta VALUES (convert_from($1, 'UTF8'), $2::bigint, convert_from($3, 'UTF8')) "
    "ON CONFLICT (name) DO UPDATE SET number = excluded.number, text = excluded.text"};
const Statement drop_meta{"hf_drop_meta", "DELETE FROM meta WHERE name = convert_from($1, 'UTF8')"};
/// What keeps a commit where it was put when the power fails; more is for those who can do without.
const Statement unsafe_setting{
    "hf_unsafe_setting",
    "SELECT name FROM (VALUES ('fsync'), ('full_page_writes')) AS w(name) "
    "WHERE current_setting(name, true) <> 'on' LIMIT 1"};
const Statement begin_forgetting{"hf_begin", "BEGIN"};
const Statement lock_head_to_forget{"hf_lock_head", "SELECT 1 FROM head FOR UPDATE"};

/// Whether it is worth locking anything.
const Statement any_forgettable{
    "hf_any_forgettable",
    fmt::format("SELECT EXISTS (SELECT 1 FROM state_tokens WHERE forget_us <= t.now) "
                "OR EXISTS (SELECT 1 FROM state_nonces WHERE forget_us <= t.now) FROM {} AS t(now)",
                now_sql)};

std::string forget_sql(const char* table, const char* key) {
  return fmt::format(
      "WITH gone AS (DELETE FROM {0} WHERE (tenant, {1}) IN (SELECT tenant, {1} FROM {0} "
      "WHERE forget_us <= {2} ORDER BY forget_us LIMIT $3::bigint) RETURNING 1) "
      "SELECT count(*) FROM gone",
      table, key, now_sql);
}

const Statement forget_nonces{"hf_forget_nonces", forget_sql("state_nonces", "nonce")};

/// What was forgotten at an instant stays forgotten: the head remembers it, lest the clock step
/// back behind it.
const Statement forget_tokens{
    "hf_forget_tokens",
    fmt::format(
        "WITH gone AS (DELETE FROM state_tokens WHERE (tenant, token) IN (SELECT tenant, token "
        "FROM state_tokens WHERE forget_us <= {0} ORDER BY forget_us LIMIT $3::bigint) RETURNING "
        "1), told AS (UPDATE head SET tokens = tokens - (SELECT count(*) FROM gone), "
        "latest_us = {0}) SELECT count(*) FROM gone",
        now_sql)};

std::string replaced(std::string text, std::string_view word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    text.replace(at, word.size(), by);
    at += by.size();
  }
  return text;
}

}  // namespace

void PostgresSession::abandon() {
  if (broken() || !connection_.in_transaction()) return;
  (void)connection_.script("ROLLBACK");
}

Expected<std::size_t> PostgresSession::forget(const Time& time, std::size_t limit) {
  const auto any = ask(any_forgettable, time_parameters(time));
  if (!any) return tl::unexpected(any.error());
  if (any->number(0, 0) == 0) return std::size_t{0};
  Parameters nonces = time_parameters(time);
  nonces.number(static_cast<std::int64_t>(limit));
  Parameters tokens = time_parameters(time);
  tokens.number(static_cast<std::int64_t>(limit));
  connection_.queue(begin_forgetting);
  connection_.queue(lock_head_to_forget);
  connection_.queue(forget_nonces, std::move(nonces));
  connection_.queue(forget_tokens, std::move(tokens));
  connection_.queue(commit);
  const auto results = connection_.run(true);
  if (!results) return tl::unexpected(results.error());
  return static_cast<std::size_t>(std::max((*results)[2].number(0, 0), (*results)[3].number(0, 0)));
}

Expected<Description> PostgresSession::describe() {
  Description found;
  found.server = connection_.server_version();
  const auto unsafe = ask(unsafe_setting);
  if (!unsafe) return tl::unexpected(unsafe.error());
  if (unsafe->rows() > 0) {
    found.caution = fmt::format(
        "{} is off at this server: when its power fails, calls that were answered may be lost",
        unsafe->bytes(0, 0));
  }
  const auto there = ask(has_meta);
  if (!there) return tl::unexpected(there.error());
  if (there->number(0, 0) == 0) return found;
  const auto meta = ask(read_meta);
  if (!meta) return tl::unexpected(meta.error());
  for (int row = 0; row < meta->rows(); ++row) {
    const std::string name(meta->bytes(row, 0));
    if (name == "schema_version") found.schema_version = static_cast<int>(meta->number(row, 1));
    if (name == "digest_function") found.kept.digest_function = meta->bytes(row, 2);
    if (name == shared::views_name) found.views = meta->bytes(row, 2);
    if (name == shared::copy_mark) found.half_copied = true;
    keep_number(found.kept, name, meta->number_or_null(row, 1));
  }
  return found;
}

Expected<void> PostgresSession::keep(std::string_view name, std::optional<std::int64_t> number,
                                     const std::optional<std::string>& text) {
  Parameters parameters;
  parameters.bytes(name).number(number).bytes(text);
  const auto done = ask(put_meta, std::move(parameters));
  if (!done) return tl::unexpected(done.error());
  return {};
}

Expected<void> PostgresSession::mark_copy(bool under_way) {
  Parameters name;
  name.bytes(shared::copy_mark);
  if (under_way) name.number(1).bytes(std::optional<std::string>());
  const auto done = ask(under_way ? put_meta : drop_meta, std::move(name));
  if (!done) return tl::unexpected(done.error());
  return {};
}

Expected<void> PostgresSession::grant(const std::string& service, const std::string& auditor) {
  const auto schema = ask(this_schema);
  if (!schema) return tl::unexpected(schema.error());
  const std::string where = connection_.quoted(std::string(schema->bytes(0, 0)));
  const auto give = [&](const std::vector<std::string>& grants,
                        const std::string& role) -> Expected<void> {
    for (const std::string& each : grants) {
      const std::string sql =
          replaced(replaced(each, "%schema", where), "%s", connection_.quoted(role));
      if (auto done = connection_.script(sql); !done) return done;
    }
    return {};
  };
  if (!service.empty()) {
    if (auto done = give(service_grants(), service); !done) return done;
  }
  if (!auditor.empty()) return give(auditor_grants(), auditor);
  return {};
}

}  // namespace holdfast::postgres
