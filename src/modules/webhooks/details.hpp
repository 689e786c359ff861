#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leased_work/details.hpp"
#include "modules/webhooks/inbox_rows.hpp"

/// What the records of webhooks say in their `detail`, each a type with its canonical JSON.
namespace holdfast::webhooks {

/// received: the entry, what is to be done about it, and what was sent.
struct Received {
  EntryRow entry;
  WorkRow work;
  PayloadRow payload;

  /// Of the work, only what its entry does not say.
  [[nodiscard]] std::string text() const;
  /// What the detail says by itself.
  [[nodiscard]] static std::optional<Received> read(std::string_view detail);
  /// All of it; null if it cannot be read.
  [[nodiscard]] static std::shared_ptr<const Received> of(const Record& record);
};

/// leased: the entries that were given away, as their holder is told of them.
[[nodiscard]] std::string text_of(const leased_work::Leased& said,
                                  const std::vector<const WorkRow*>& entries);
[[nodiscard]] std::optional<leased_work::Leased> read_leased(std::string_view detail);

/// One of them, as its holder reads it.
struct LeasedEntry {
  std::string id;
  std::uint64_t fence = 0;
  std::string tenant{};
  std::string source{};
  std::string event_id{};
};
[[nodiscard]] std::optional<std::vector<LeasedEntry>> read_entries(std::string_view detail);

/// postponed, reopened, lost, died: how what is left to do stands then.
struct Moved {
  std::string id;
  leased_work::LeaseState lease{};  ///< as far as records say it
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
using leased_work::id_in;

}  // namespace holdfast::webhooks
