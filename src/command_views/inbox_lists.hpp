#pragma once

#include <optional>
#include <string>

#include "modules/webhooks/inbox_rows.hpp"
#include "store/store.hpp"

/// The inbox of a tenant, as people look at it.
namespace holdfast::webhooks {

/// An entry with what is left to do about it, if anything is, and with what was sent, where one
/// entry was asked for.
struct EntryView {
  EntryRow entry;
  std::optional<WorkRow> work{};
  std::optional<PayloadRow> payload{};

  void write(JsonWriter& json) const;
};

struct EntriesAsked {
  std::string tenant{};
  std::optional<Status> status{};
  std::string source{};  ///< empty: whatever it is
  std::string cursor{};
  std::size_t limit = page_items_default;
};

/// The entry of that id, whole; nothing if there is none.
[[nodiscard]] StoreResult<std::optional<EntryView>> find_entry(const Store& store,
                                                               const std::string& tenant,
                                                               const std::string& id);

/// Entries, newest first; without a status those that are not done come before the others. Only so
/// many are looked at: a page may be shorter than asked for and have a next one.
[[nodiscard]] StoreResult<Page<EntryView>> list_entries(const Store& store,
                                                        const EntriesAsked& asked);

}  // namespace holdfast::webhooks
