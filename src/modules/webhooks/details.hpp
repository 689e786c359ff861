#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modules/webhooks/inbox_rows.hpp"

/// What the records of webhooks say in their `detail`, each a type with its canonical JSON.
namespace holdfast::webhooks {

/// received: the entry, what is to be done about it, and what was sent.
struct Received {
  EntryRow entry;
  WorkRow work;
  PayloadRow payload;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Received> read(std::string_view detail);
};

/// leased: the entries that were given away, as their holder is told of them.
struct Leased {
  struct Item {
    std::string id;
    std::uint64_t fence = 0;
    std::uint64_t attempt = 0;
    WorkRow work{};  ///< written, for the holder; of a record that is read, only what it says
  };
  std::vector<Item> items{};
  Instant until{};
  std::string holder{};

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Leased> read(std::string_view detail);
};

/// postponed, reopened, lost, died: how what is left to do stands then.
struct Moved {
  std::string id;
  Instant ready_at{};
  std::uint64_t fence = 0;
  std::uint64_t attempts = 0;
  std::string error{};
  bool dead = false;

  [[nodiscard]] static Moved of(const WorkRow& work);
  void change(WorkRow& work) const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Moved> read(std::string_view detail);
};

/// completed: the entry is done.
struct Completed {
  std::string id;
  std::uint64_t fence = 0;
  std::uint64_t attempts = 0;
  std::string result{};  ///< JSON

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Completed> read(std::string_view detail);
};

/// A detail as it is told as an event: without what was sent, which may be large, and which those
/// who read events need not be shown.
[[nodiscard]] std::string without_payload(std::string_view detail);

/// The id of the entry that a record is about; empty if it does not say.
[[nodiscard]] std::string id_in(std::string_view detail);

}  // namespace holdfast::webhooks
