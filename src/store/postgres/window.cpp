// What another window does to the tables, in the transaction that records it.

#include <fmt/format.h>

#include "store/postgres/rows.hpp"

namespace holdfast::postgres {
namespace {

const Statement count_live{
    "hf_count_live",
    "SELECT j.operation, count(*), count(*) FILTER (WHERE j.at_us <= $2::bigint) "
    "FROM state_tokens t JOIN journal j ON j.seq = t.seq "
    "WHERE t.forget_us IS NULL OR t.forget_us > $1::bigint GROUP BY j.operation"};

/// Those of these operations ($1) that were recorded up to $2.
std::string drop_sql(const char* table) {
  return fmt::format(
      "WITH gone AS (DELETE FROM {} t USING journal j WHERE j.seq = t.seq "
      "AND j.operation = ANY ($1::bigint[]) AND j.at_us <= $2::bigint RETURNING 1) "
      "SELECT count(*) FROM gone",
      table);
}

/// The end of a window of $2; no number where no clock gets there ($3 is the last instant).
std::string prolong_sql(const char* table) {
  return fmt::format(
      "UPDATE {} t SET forget_us = CASE WHEN greatest(j.at_us, 0) < $3::bigint - $2::bigint "
      "THEN j.at_us + $2::bigint END FROM journal j WHERE j.seq = t.seq "
      "AND j.operation = ANY ($1::bigint[])",
      table);
}

const Statement drop_tokens{"hf_drop_tokens", drop_sql("state_tokens")};
const Statement drop_nonces{"hf_drop_nonces", drop_sql("state_nonces")};
const Statement prolong_tokens{"hf_prolong_tokens", prolong_sql("state_tokens")};
const Statement prolong_nonces{"hf_prolong_nonces", prolong_sql("state_nonces")};

Parameters operation_parameters(const std::vector<Operation>& all) {
  NumberArray numbers(all.size());
  for (const Operation each : all) numbers.add(static_cast<std::int64_t>(each));
  Parameters parameters;
  parameters.array(numbers.take());
  return parameters;
}

}  // namespace

Expected<std::vector<shared::TokensFound>> PostgresSession::count_tokens(Instant now,
                                                                         Instant up_to) {
  if (auto patient = connection_.script("SET LOCAL statement_timeout = 0"); !patient)
    return tl::unexpected(patient.error());
  Parameters instants;
  instants.number(us(now)).number(us(up_to));
  const auto found = ask(count_live, std::move(instants));
  if (!found) return tl::unexpected(found.error());
  std::vector<shared::TokensFound> all;
  for (int row = 0; row < found->rows(); ++row) {
    all.push_back({static_cast<Operation>(found->number(row, 0)),
                   static_cast<std::uint64_t>(found->number(row, 1)),
                   static_cast<std::uint64_t>(found->number(row, 2))});
  }
  return all;
}

Expected<std::uint64_t> PostgresSession::change_window(const shared::WindowEffect& effect,
                                                       const StepObserver& before_step) {
  const auto tell = [&](std::string_view step) {
    if (before_step) before_step(step);
  };
  if (auto owning = work_as_owner(); !owning) return tl::unexpected(owning.error());
  std::uint64_t gone = 0;
  for (const Statement* each : {&drop_nonces, &drop_tokens}) {
    tell(each->name);
    Parameters parameters = operation_parameters(effect.follow);
    parameters.number(us(effect.forgotten_to));
    const auto done = ask(*each, std::move(parameters));
    if (!done) return tl::unexpected(done.error());
    gone = static_cast<std::uint64_t>(done->number(0, 0));
  }
  for (const Statement* each : {&prolong_nonces, &prolong_tokens}) {
    tell(each->name);
    Parameters parameters = operation_parameters(effect.follow);
    parameters.number(effect.window.count()).number(us(never));
    if (auto done = ask(*each, std::move(parameters)); !done) return tl::unexpected(done.error());
  }
  tell("meta");
  for (const KeptNumber& each : effect.kept) {
    if (auto done = keep(each.name, each.number); !done) return tl::unexpected(done.error());
  }
  return gone;
}

}  // namespace holdfast::postgres
