#pragma once

#include <string>
#include <vector>

#include "browser/console_page.hpp"

namespace holdfast::test {

/// The operator's page of a service with commands: `order.note` is done at once, `parcel.ship` is
/// for workers, who try it three times, and `account.waive` is approved by somebody else.
class ConsoleCommands : public ConsolePage {
 protected:
  void SetUp() override;

  /// The id of a command that another client submits with that key; `more` are members of its
  /// envelope.
  [[nodiscard]] std::string submitted(const std::string& key, const std::string& name,
                                      const std::string& more = {}) const;
  /// Notes in one batch, so that the journal grows.
  void note(int count, const std::string& named) const;
  /// A worker takes the next effects, and says how each went.
  void lease() const;
  void fail(const std::string& id, const std::string& body) const;
  void complete(const std::string& id, const std::string& body) const;
  [[nodiscard]] std::string status_of(const std::string& id) const;

  /// The page runs nothing that is in names, and says nothing was wrong.
  void expect_only_text() const;
  /// How many elements there are.
  [[nodiscard]] std::int64_t count(const std::string& selector) const;
  void wait_for_count(const std::string& selector, int count) const;
  void choose(const std::string& select, const std::string& value) const;
};

inline constexpr const char* hostile_text =
    "<img src=x onerror=\"window.ran=1\">'\"&amp;</script><script>window.ran=2</script>";

}  // namespace holdfast::test
