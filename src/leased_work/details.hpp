#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leased_work/lease_state.hpp"

/// What records of leased work say in their `detail`, as far as it is the same whatever the work.
namespace holdfast::leased_work {

/// leased: what was given away, to whom, and until when.
struct Leased {
  struct Item {
    std::string id;
    std::uint64_t fence = 0;
    std::uint64_t attempt = 0;
  };
  std::vector<Item> items{};
  Instant until{};
  std::string holder{};
};

/// Its canonical JSON, in which `list` is the name of the items. `write` writes each, as its holder
/// is told of it.
using WriteItem = std::function<void(JsonWriter& json, std::size_t place)>;
[[nodiscard]] std::string text_of(const Leased& said, std::string_view list,
                                  const WriteItem& write);
/// `fence`, `id`, `kind` and `lease_until` of an item: after `attempt`, and before what only its
/// module says.
void write_item(JsonWriter& json, const Leased& said, std::size_t place, std::string_view kind);

/// The same, read; `read`, where there is one, reads what only the module says of an item.
using ReadItem = std::function<void(ObjectReader& reader, const Leased::Item& item)>;
[[nodiscard]] std::optional<Leased> read_leased(std::string_view detail, std::string_view list,
                                                const ReadItem& read = nullptr);

/// renewed, postponed, reopened, lost, died: how the work stands then. All that changes of a lease
/// but its holder, who is who was, or nobody: `attempts`, `error`, `fence`, `id`, `lease_until` and
/// `ready_at`.
void write_standing(JsonWriter& json, std::string_view id, const LeaseState& lease);
void read_standing(ObjectReader& reader, std::string& id, LeaseState& lease);

// What these records do to a row.

void take_lease(LeaseState& lease, const Leased& said, const Leased::Item& item);
void take_standing(LeaseState& lease, const LeaseState& said);

/// The id of the work that a record is about; empty if it does not say.
[[nodiscard]] std::string id_in(std::string_view detail);

}  // namespace holdfast::leased_work
