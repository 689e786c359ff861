#pragma once

#include "modules/counter/counter.hpp"
#include "modules/pool/pool.hpp"
#include "support/calls.hpp"
#include "support/stores/harness.hpp"

/// Short ways to write calls of counters and pools down.
namespace holdfast::test {

[[nodiscard]] inline Call add(std::string name, std::int64_t amount, std::string token,
                              Duration lifetime = 1h, Caller caller = {}) {
  return {.command = Command(counter::Adding{std::move(name), amount, lifetime}),
          .token = Token(std::move(token)),
          .caller = std::move(caller)};
}

[[nodiscard]] inline Call put(std::string name, std::string token, Duration lifetime = 24h,
                              Caller caller = {}) {
  return {.command = Command(pool::Putting{std::move(name), lifetime}),
          .token = Token(std::move(token)),
          .caller = std::move(caller)};
}

/// Of the default tenant, unless `tenant` says whose.
[[nodiscard]] inline Call take(std::string pool, std::int64_t count, std::string token,
                               Duration pause = 1h, std::string tenant = "default") {
  return {.command = Command(pool::Taking{std::move(pool), std::move(tenant), count, pause}),
          .token = Token(std::move(token))};
}

[[nodiscard]] inline Call remove(std::string name, std::string token, Caller caller = {}) {
  return {.command = Command(pool::Removing{std::move(name)}),
          .token = Token(std::move(token)),
          .caller = std::move(caller)};
}

/// The names of the things that a taking was answered.
[[nodiscard]] inline std::vector<std::string> names_taken(const Answer& answer) {
  EXPECT_THAT(answer, done());
  const auto took = object_in<pool::Took>(answer.document);
  EXPECT_TRUE(took) << answer.document;
  return took ? took->names : std::vector<std::string>();
}

/// The names of a group's counters, as the store lists them page by page.
[[nodiscard]] std::vector<std::string> names_in(const Store& store, const std::string& group,
                                                std::size_t limit = 100,
                                                std::string_view tenant = "default",
                                                RowSpace space = counter::Counter::space);

/// The same of a pool's things.
[[nodiscard]] inline std::vector<std::string> names_in_pool(const Store& store,
                                                            const std::string& pool) {
  return names_in(store, pool, 100, "default", pool::Thing::space);
}

/// What the store shows of counters and things must be what its records say, folded here.
void expect_rows_follow(const Store& store);

/// A row as the store shows it; nothing if there is none.
template <typename Row>
[[nodiscard]] std::optional<Row> row_in(const Store& store, const std::string& name,
                                        std::string_view tenant = "default") {
  const auto page = store.rows(tenant, {.space = Row::space, .key = name});
  EXPECT_TRUE(page) << page.error().message;
  if (page->items.empty()) return std::nullopt;
  return *row_of<Row>(&page->items.front().row);
}

[[nodiscard]] inline std::optional<counter::Counter> counter_in(
    const Store& store, const std::string& name, std::string_view tenant = "default") {
  return row_in<counter::Counter>(store, name, tenant);
}

[[nodiscard]] inline std::optional<pool::Thing> thing_in(const Store& store,
                                                         const std::string& name,
                                                         std::string_view tenant = "default") {
  return row_in<pool::Thing>(store, name, tenant);
}

/// What a counter stands at; 0 if there is none.
[[nodiscard]] inline std::int64_t value_of(const Store& store, const std::string& name,
                                           std::string_view tenant = "default") {
  const auto found = counter_in(store, name, tenant);
  return found ? found->value : 0;
}

/// How often a thing was put in since it was not there; 0 if it is not there.
[[nodiscard]] inline std::int64_t times_of(const Store& store, const std::string& name) {
  const auto found = thing_in(store, name);
  return found ? found->times : 0;
}

}  // namespace holdfast::test
