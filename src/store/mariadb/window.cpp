// What another window does to the tables, in the transaction that records it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/assert.hpp"
#include "store/mariadb/rows.hpp"
#include "store/mariadb/session.hpp"

namespace holdfast::mariadb {
namespace {

using shared::Expected;

/// Those of these operations.
std::string of_operations(const std::vector<Operation>& all) {
  std::vector<int> numbers;
  numbers.reserve(all.size());
  for (const Operation each : all) numbers.push_back(static_cast<int>(each));
  return numbers.empty() ? "FALSE" : fmt::format("j.operation IN ({})", fmt::join(numbers, ","));
}

std::int64_t us_of(Instant instant) { return instant.time_since_epoch().count(); }

}  // namespace

Expected<std::vector<shared::TokensFound>> MariadbSession::count_tokens(Instant now,
                                                                        Instant up_to) {
  HOLDFAST_ASSERT(in_transaction_);
  std::vector<shared::TokensFound> all;
  auto done = connection_.read(
      fmt::format("SELECT j.operation,COUNT(*),COALESCE(SUM(j.at_us<={}),0) FROM state_tokens t "
                  "JOIN journal j ON j.seq=t.seq WHERE t.forget_us>{} GROUP BY j.operation",
                  us_of(up_to), us_of(now)),
      [&](const Row& row) {
        all.push_back({static_cast<Operation>(row.number(0)), row.count(1), row.count(2)});
      });
  if (!done) return tl::unexpected(done.error());
  return all;
}

Expected<std::uint64_t> MariadbSession::change_window(const shared::WindowEffect& effect,
                                                      const StepObserver& before_step) {
  HOLDFAST_ASSERT(in_transaction_);
  const std::string which = of_operations(effect.follow);
  const auto step = [&](const std::string& sql) {
    if (before_step) before_step(sql);
    return connection_.run(sql);
  };
  std::uint64_t gone = 0;
  for (const char* const table : {"state_nonces", "state_tokens"}) {
    const std::string dropped =
        fmt::format("{} AND j.at_us<={}", which, us_of(effect.forgotten_to));
    auto done = connection_.read(
        fmt::format("SELECT COUNT(*) FROM {} t JOIN journal j ON j.seq=t.seq WHERE {}", table,
                    dropped),
        [&](const Row& row) { gone = row.count(0); });
    if (done)
      done = step(
          fmt::format("DELETE t FROM {} t JOIN journal j ON j.seq=t.seq WHERE {}", table, dropped));
    if (done) {
      done =
          step(fmt::format("UPDATE {0} t JOIN journal j ON j.seq=t.seq SET t.forget_us="
                           "IF(GREATEST(j.at_us,0)<{2}-{1},j.at_us+{1},{2}) WHERE {3}",
                           table, effect.window.count(), us_of(never), which));
    }
    if (!done) return tl::unexpected(done.error());
  }
  for (const KeptNumber& each : effect.kept) {
    const std::string number = each.number ? std::to_string(*each.number) : "NULL";
    auto done =
        step(fmt::format("INSERT INTO meta(name,number) VALUES ('{0}',{1}) ON DUPLICATE KEY UPDATE "
                         "number={1}",
                         each.name, number));
    if (!done) return tl::unexpected(done.error());
  }
  return gone;
}

}  // namespace holdfast::mariadb
