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
