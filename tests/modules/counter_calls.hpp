#pragma once

#include "modules/counter/counter.hpp"
#include "support/calls.hpp"
#include "support/stores/harness.hpp"

/// Short ways to write calls of counters down.
namespace holdfast::test {

[[nodiscard]] inline Call add(std::string name, std::int64_t amount, std::string token,
                              Duration lifetime = 1h, Caller caller = {}) {
  return {.command = Command(counter::Adding{std::move(name), amount, lifetime}),
          .token = Token(std::move(token)),
          .caller = std::move(caller)};
}

/// Of the default tenant, unless `tenant` says whose.
[[nodiscard]] inline Call take(std::string group, std::int64_t count, std::string token,
                               Duration pause = 1h, std::string tenant = "default") {
  return {.command = Command(counter::Taking{std::move(group), std::move(tenant), count, pause}),
          .token = Token(std::move(token))};
}

[[nodiscard]] inline Call remove(std::string name, std::string token, Caller caller = {}) {
  return {.command = Command(counter::Removing{std::move(name)}),
          .token = Token(std::move(token)),
          .caller = std::move(caller)};
}

/// The names of the counters that a taking was answered.
[[nodiscard]] inline std::vector<std::string> names_taken(const Answer& answer) {
  EXPECT_THAT(answer, done());
  const auto took = counter::Took::read(answer.document);
  EXPECT_TRUE(took) << answer.document;
  return took ? took->names : std::vector<std::string>();
}

/// The names of a group's counters, as the store lists them page by page.
[[nodiscard]] std::vector<std::string> names_in(const Store& store, const std::string& group,
                                                std::size_t limit = 100,
                                                std::string_view tenant = "default");

/// What the store shows of counters must be what its records say, folded here.
void expect_counters_follow(const Store& store);

/// A counter as the store shows it; nothing if there is none.
[[nodiscard]] inline std::optional<counter::Counter> counter_in(
    const Store& store, const std::string& name, std::string_view tenant = "default") {
  const auto page = store.rows(tenant, {.space = counter::Counter::space, .key = name});
  EXPECT_TRUE(page) << page.error().message;
  if (page->items.empty()) return std::nullopt;
  return *row_of<counter::Counter>(&page->items.front().row);
}

/// What a counter stands at; 0 if there is none.
[[nodiscard]] inline std::int64_t value_of(const Store& store, const std::string& name,
                                           std::string_view tenant = "default") {
  const auto found = counter_in(store, name, tenant);
  return found ? found->value : 0;
}

}  // namespace holdfast::test
