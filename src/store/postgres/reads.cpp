#include <fmt/format.h>

#include <array>

#include "store/postgres/rows.hpp"

namespace holdfast::postgres {
namespace {

/// Without rows of modules, and with them, whose kinds are $3.
const Statement show_head{
    "hf_show_head",
    fmt::format("SELECT {}, {}, (SELECT min(expires_us) FROM state_holds WHERE state = 1) "
                "FROM head",
                head_columns, now_sql)};
const Statement show_head_and_rows{
    "hf_show_head_and_rows",
    fmt::format("SELECT {}, {}, least((SELECT min(expires_us) FROM state_holds WHERE state = 1), "
                "(SELECT min(d.due_us) FROM unnest($3::bigint[]) AS s(space) CROSS JOIN LATERAL "
                "(SELECT min(m.due_us) AS due_us FROM module_rows m WHERE m.space = s.space) d)) "
                "FROM head",
                head_columns, now_sql)};

/// What a list of holds may be asked for; each combination is a statement of its own, so that each
/// goes through the index that suits it.
enum Filter : unsigned {
  by_ordinal = 1,
  by_resource = 2,
  by_requester = 4,
  by_state = 8,
  since = 16,
  by_prefix = 32,
  by_group = 64
};
constexpr std::size_t filter_count = 128;

Statement holds_statement(unsigned filters) {
  int next = 4;
  std::string where;
  const auto add = [&](Filter filter, const char* condition) {
    if ((filters & filter) != 0) where += fmt::format(fmt::runtime(condition), next++);
  };
  add(by_ordinal, " AND h.ordinal = ${}::bigint");
  add(by_resource,
      " AND h.resource_id = (SELECT id FROM state_resources WHERE tenant = $3 AND name = ${})");
  add(by_requester, " AND h.requester = ${}");
  add(by_state, " AND h.state = ${}::bigint");
  add(since, " AND h.placed_us > ${}::bigint");
  add(by_prefix, " AND r.name >= ${0} AND substr(r.name, 1, length(${0})) = ${0}");
  if ((filters & by_group) != 0) {
    where += fmt::format(
        " AND h.ordinal BETWEEN ${0}::bigint AND ${0}::bigint + {1} AND h.group_ordinal = "
        "${0}::bigint AND h.group_salt = ${2}::bigint",
        next, group_size_max - 1, next + 1);
    next += 2;
  }
  return {fmt::format("hf_holds_{}", filters),
          fmt::format("SELECT {}, j.token, {} FROM state_holds h "
                      "JOIN state_resources r ON r.id = h.resource_id "
                      "JOIN journal j ON j.seq = h.placed_seq "
                      "WHERE h.tenant = $3{} AND h.ordinal < ${}::bigint "
                      "ORDER BY h.ordinal DESC LIMIT ${}::bigint",
                      hold_columns, now_sql, where, next, next + 1)};
}

const Statement& holds_by(unsigned filters) {
  static const auto table = [] {
    std::array<Statement, filter_count> statements;
    for (unsigned each = 0; each < statements.size(); ++each)
      statements[each] = holds_statement(each);
    return statements;
  }();
  return table.at(filters);
}

const Statement show_outcome{
    "hf_outcome",
    fmt::format("SELECT {}, {}, {} FROM state_tokens t JOIN journal j ON j.seq = t.seq "
                "LEFT JOIN state_holds h ON h.ordinal = j.hold_ordinal "
                "LEFT JOIN state_resources r ON r.id = h.resource_id "
                "WHERE t.tenant = $3 AND t.token = $4",
                record_columns(), hold_columns, now_sql)};

/// Without what has lapsed by now.
std::string resources_sql(const char* where) {
  return fmt::format(
      "SELECT r.id, r.name, r.capacity, (r.occupied - coalesce((SELECT "
      "sum(h.quantity - coalesce(h.confirmed, 0)) FROM state_holds h WHERE h.resource_id = r.id "
      "AND h.state = 1 AND h.expires_us <= t.now), "
      "0))::bigint, r.declared FROM state_resources r, {} AS t(now) WHERE r.tenant = $3 {}",
      now_sql, where);
}

/// All of it is of one snapshot, since it is read by one statement.
const Statement one_availability{
    "hf_availability",
    fmt::format("SELECT r.capacity, r.occupied, "
                "coalesce(sum(h.held) FILTER (WHERE h.expires_us > t.now), 0)::bigint, "
                "coalesce(sum(h.held), 0)::bigint, "
                "min(h.expires_us) FILTER (WHERE h.expires_us > t.now) "
                "FROM state_resources r CROSS JOIN {} AS t(now) LEFT JOIN LATERAL "
                "(SELECT quantity - coalesce(confirmed, 0) AS held, expires_us FROM state_holds "
                "WHERE resource_id = r.id AND state = 1) h ON true "
                "WHERE r.tenant = $3 AND r.name = $4 GROUP BY r.capacity, r.occupied",
                now_sql)};

const Statement one_resource{"hf_one_resource", resources_sql("AND r.name = $4")};
const Statement many_resources{
    "hf_many_resources",
    resources_sql("AND r.id < $4::bigint ORDER BY r.id DESC LIMIT $5::bigint")};

const Statement prefixed_resources{
    "hf_prefixed_resources",
    resources_sql("AND r.name >= $4 AND substr(r.name, 1, length($4)) = $4 AND r.id < $5::bigint "
                  "ORDER BY r.id DESC LIMIT $6::bigint")};
const Statement one_row{"hf_one_row",
                        fmt::format("SELECT {} FROM module_rows m WHERE m.space = $1::bigint "
                                    "AND m.tenant = $2 AND m.key = $3",
                                    module_row_columns)};
const Statement rows_of_parent{
    "hf_rows_of_parent",
    fmt::format("SELECT {} FROM module_rows m WHERE m.space = $1::bigint AND m.tenant = $2 "
                "AND m.parent = $3 AND m.position >= $4::bigint "
                "AND (m.position > $4::bigint OR m.key > $5) "
                "ORDER BY m.position, m.key LIMIT $6::bigint",
                module_row_columns)};

const Statement count_lists{"hf_count_lists",
                            "SELECT m.parent, count(*) FROM module_rows m WHERE m.space = "
                            "$1::bigint AND m.tenant = $2 AND m.parent IS NOT NULL "
                            "GROUP BY m.parent"};

const Statement read_records{"hf_read_records",
                             fmt::format("SELECT {} FROM journal j WHERE j.seq > $1::bigint "
                                         "ORDER BY j.seq LIMIT $2::bigint",
                                         record_columns())};

/// Adds nothing, but fails where a record could not be added.
const Statement can_write{"hf_can_write",
                          "INSERT INTO journal SELECT * FROM journal WHERE seq < 0"};

std::int64_t limit_of(std::size_t limit) {
  return static_cast<std::int64_t>(std::min<std::size_t>(limit, INT64_MAX));
}

std::int64_t before_of(std::uint64_t before) {
  return before > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(before);
}

}  // namespace

Expected<Result> PostgresSession::ask(const Statement& statement, Parameters parameters) {
  connection_.queue(statement, std::move(parameters));
  auto results = connection_.run();
  if (!results) return tl::unexpected(results.error());
  return std::move(results->front());
}

Expected<void> PostgresSession::ready() {
  const auto result = ask(can_write);
  if (!result) return tl::unexpected(result.error());
  return {};
}

Expected<Head> PostgresSession::head(const Time& time) {
  Parameters parameters = time_parameters(time);
  const bool rows = !row_kinds().empty();
  if (rows) parameters.array(row_spaces());
  const auto result = ask(rows ? show_head_and_rows : show_head, std::move(parameters));
  if (!result) return tl::unexpected(result.error());
  if (result->rows() != 1) return tl::unexpected(Fault{Trouble::refused, "the head is missing"});
  Head head = head_at(*result, 0, 0);
  head.now = instant(result->number(0, 9));
  if (const auto next = result->number_or_null(0, 10)) head.counts.next_expiry = instant(*next);
  return head;
}

Expected<HoldsRead> PostgresSession::holds(const Time& time, const HoldFilter& filter) {
  Parameters parameters = time_parameters(time);
  parameters.bytes(filter.tenant);
  unsigned filters = 0;
  if (filter.ordinal) {
    filters |= by_ordinal;
    parameters.number(number(*filter.ordinal));
  }
  if (filter.resource) {
    filters |= by_resource;
    parameters.bytes(std::string_view(*filter.resource));
  }
  if (filter.requester) {
    filters |= by_requester;
    parameters.bytes(std::string_view(*filter.requester));
  }
  if (filter.state) {
    filters |= by_state;
    parameters.number(static_cast<std::int64_t>(*filter.state));
  }
  if (filter.placed_after) {
    filters |= since;
    parameters.number(us(*filter.placed_after));
  }
  if (filter.prefix) {
    filters |= by_prefix;
    parameters.bytes(std::string_view(*filter.prefix));
  }
  if (filter.group) {
    filters |= by_group;
    parameters.number(number(filter.group->first.ordinal)).number(number(filter.group->first.salt));
  }
  parameters.number(before_of(filter.before)).number(limit_of(filter.limit));
  const auto result = ask(holds_by(filters), std::move(parameters));
  if (!result) return tl::unexpected(result.error());
  HoldsRead read;
  for (int row = 0; row < result->rows(); ++row) {
    HoldFound& found = read.holds.emplace_back(hold_at(*result, row, 0));
    found.token = result->bytes(row, hold_column_count);
    read.now = instant(result->number(row, hold_column_count + 1));
  }
  return read;
}

Expected<OutcomeRead> PostgresSession::outcome(const Time& time, std::string_view tenant,
                                               std::string_view token) {
  Parameters parameters = time_parameters(time);
  parameters.bytes(tenant).bytes(token);
  const auto result = ask(show_outcome, std::move(parameters));
  if (!result) return tl::unexpected(result.error());
  OutcomeRead read;
  if (result->rows() == 0) return read;
  read.record = record_at(*result, 0, 0).record;
  derive(*read.record);
  if (!result->is_null(0, journal::column_count))
    read.hold = hold_at(*result, 0, journal::column_count);
  read.now = instant(result->number(0, journal::column_count + hold_column_count));
  return read;
}

Expected<std::vector<ResourceRead>> PostgresSession::resources(const Time& time,
                                                               const ResourceFilter& filter) {
  Parameters parameters = time_parameters(time);
  parameters.bytes(filter.tenant);
  if (filter.name) {
    parameters.bytes(std::string_view(*filter.name));
  } else {
    if (filter.prefix) parameters.bytes(std::string_view(*filter.prefix));
    parameters.number(before_of(filter.before)).number(limit_of(filter.limit));
  }
  const auto result = ask(filter.name     ? one_resource
                          : filter.prefix ? prefixed_resources
                                          : many_resources,
                          std::move(parameters));
  if (!result) return tl::unexpected(result.error());
  std::vector<ResourceRead> found;
  found.reserve(static_cast<std::size_t>(result->rows()));
  for (int row = 0; row < result->rows(); ++row) {
    found.push_back({static_cast<std::uint64_t>(result->number(row, 0)),
                     Resource{.name = std::string(result->bytes(row, 1)),
                              .capacity = result->number(row, 2),
                              .in_use = result->number(row, 3),
                              .declared = result->number(row, 4) != 0}});
  }
  return found;
}

Expected<std::optional<Availability>> PostgresSession::availability(const Time& time,
                                                                    std::string_view tenant,
                                                                    std::string_view name) {
  Parameters parameters = time_parameters(time);
  parameters.bytes(tenant).bytes(name);
  const auto result = ask(one_availability, std::move(parameters));
  if (!result) return tl::unexpected(result.error());
  if (result->rows() == 0) return std::nullopt;
  Availability found{.resource = std::string(name),
                     .capacity = result->number(0, 0),
                     .held = result->number(0, 2),
                     .confirmed = result->number(0, 1) - result->number(0, 3)};
  if (const auto next = result->number_or_null(0, 4)) found.next_expiry = instant(*next);
  return found;
}

Expected<std::vector<shared::KeptRow>> PostgresSession::rows(const shared::RowFilter& filter) {
  Parameters parameters;
  parameters.number(static_cast<std::int64_t>(filter.space)).bytes(filter.tenant);
  if (filter.key) {
    parameters.bytes(*filter.key);
  } else {
    parameters.bytes(filter.parent).number(filter.after.position);
    parameters.bytes(std::string_view(filter.after.key)).number(limit_of(filter.limit));
  }
  const auto result = ask(filter.key ? one_row : rows_of_parent, std::move(parameters));
  if (!result) return tl::unexpected(result.error());
  std::vector<shared::KeptRow> found;
  for (int row = 0; row < result->rows(); ++row) found.push_back(module_row_at(*result, row));
  return found;
}

Expected<ListSizes> PostgresSession::list_sizes(std::string_view tenant, RowSpace space) {
  Parameters parameters;
  parameters.number(static_cast<std::int64_t>(space)).bytes(tenant);
  const auto result = ask(count_lists, std::move(parameters));
  if (!result) return tl::unexpected(result.error());
  ListSizes sizes;
  for (int row = 0; row < result->rows(); ++row)
    sizes.push_back(
        {std::string(result->bytes(row, 0)), static_cast<std::uint64_t>(result->number(row, 1))});
  return sizes;
}

Expected<std::vector<StoredRecord>> PostgresSession::records(std::uint64_t after,
                                                             std::size_t limit) {
  Parameters parameters;
  parameters.number(before_of(after)).number(limit_of(limit));
  const auto result = ask(read_records, std::move(parameters));
  if (!result) return tl::unexpected(result.error());
  std::vector<StoredRecord> found;
  found.reserve(static_cast<std::size_t>(result->rows()));
  for (int row = 0; row < result->rows(); ++row) {
    found.push_back(record_at(*result, row, 0));
  }
  return found;
}

}  // namespace holdfast::postgres
