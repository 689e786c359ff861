#pragma once

#include <array>
#include <boost/intrusive/set.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <vector>

#include "base/chunked.hpp"
#include "domain/rows.hpp"
#include "store/sqlite/state/expiry_heap.hpp"

namespace holdfast::sqlite {

/// Everything kept of a hold, for ever: one cache line. The rest is in its journal record.
struct HoldSlot {
  std::uint64_t salt : 60;
  std::uint64_t state : 3;    ///< HoldState; 0: no such hold
  std::uint64_t changed : 1;  ///< there is a `HoldExtra` of it
  std::uint64_t placed_seq;
  std::int64_t placed_us;
  std::int64_t expires_us;
  std::int64_t quantity;
  std::int64_t place_or_end;  ///< while held: where in its resource's heap; then: resolved when
  std::uint32_t resource;     ///< numbers in the name tables
  std::uint32_t requester;
  std::uint32_t older_of_resource;  ///< ordinal of the next older hold; 0: none
  std::uint32_t older_of_requester;
};
static_assert(sizeof(HoldSlot) == 64);

/// What there is to say of a hold that more than its end has changed, or that is in a group. Few
/// holds have one.
struct HoldExtra {
  std::int64_t first_expires_us = 0;
  std::int64_t confirmed = 0;
  std::int64_t cancelled = 0;
  std::uint64_t changed_seq = 0;
  std::uint32_t group = 0;  ///< ordinal of its first hold
  std::uint32_t group_size = 0;
};

/// The extras, by ordinal, in shards of which none is large enough for its growth to be felt.
class HoldExtras {
 public:
  [[nodiscard]] const HoldExtra* find(std::uint64_t ordinal) const;
  void put(std::uint64_t ordinal, const HoldExtra& extra);
  [[nodiscard]] std::size_t bytes() const;

 private:
  static constexpr std::size_t shard_count = 1024;
  using Shard = boost::unordered_flat_map<std::uint32_t, HoldExtra>;

  std::vector<Shard> shards_ = std::vector<Shard>(shard_count);
  std::size_t size_ = 0;
};

/// A resource: what it can take, what is taken, and its holds. Kept in order of the earliest
/// expiry among its held holds, for the sweeper.
struct ResourceSlot
    : boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>,
                                      boost::intrusive::link_mode<boost::intrusive::normal_link>> {
  std::int64_t capacity = 1;
  std::int64_t occupied = 0;
  std::int64_t confirmed = 0;    ///< of that, and not cancelled since
  std::int64_t earliest_us = 0;  ///< meaningful while `live` is not empty
  ExpiryHeap live;
  std::uint32_t number = 0;
  std::uint32_t newest = 0;  ///< ordinal of the newest hold ever placed; 0: none
  bool declared = false;
};

struct EarlierResource {
  bool operator()(const ResourceSlot& a, const ResourceSlot& b) const {
    return a.earliest_us != b.earliest_us ? a.earliest_us < b.earliest_us : a.number < b.number;
  }
};

using ResourcesByExpiry =
    boost::intrusive::set<ResourceSlot, boost::intrusive::compare<EarlierResource>,
                          boost::intrusive::constant_time_size<false>>;

/// Every hold, by ordinal, and every resource, by number. Nothing here ever moves or doubles.
class HoldTable {
 public:
  HoldTable() = default;
  ~HoldTable();
  HoldTable(const HoldTable&) = delete;
  HoldTable& operator=(const HoldTable&) = delete;

  [[nodiscard]] std::uint64_t last_ordinal() const { return holds_.size(); }
  /// Null if there is no hold with that ordinal.
  [[nodiscard]] const HoldSlot* hold(std::uint64_t ordinal) const;
  [[nodiscard]] const ResourceSlot& resource(std::uint32_t number) const {
    return resources_[number];
  }
  [[nodiscard]] std::size_t resource_count() const { return resources_.size(); }
  [[nodiscard]] std::uint32_t newest_of_requester(std::uint32_t requester) const {
    return requester < newest_of_requester_.size() ? newest_of_requester_[requester] : 0;
  }
  [[nodiscard]] std::size_t live_count() const { return live_count_; }
  [[nodiscard]] std::size_t resolved_count(HoldState state) const {
    return resolved_counts_[static_cast<std::size_t>(state)];
  }
  /// The earliest among live holds; nothing when there is none.
  [[nodiscard]] std::optional<Instant> next_expiry() const {
    if (by_expiry_.empty()) return std::nullopt;
    return Instant(Duration(by_expiry_.begin()->earliest_us));
  }

  void place(const Record& record, std::uint32_t resource, std::uint32_t requester);
  void resolve(const Record& record);
  void amend(const Record& record);
  void gather(const Record& record);
  void declare(std::uint32_t resource, std::int64_t capacity);

  /// What changes of a hold, as far as its record does not say it: everything but its names.
  [[nodiscard]] HoldRow terms(const HoldSlot& slot, std::uint64_t ordinal) const;
  /// What of a hold is neither confirmed nor resolved.
  [[nodiscard]] std::int64_t held(std::uint64_t ordinal) const;

  /// Calls `take(ordinal)` for lapsed holds, whatever their resource, while it returns true.
  template <typename Take>
  void for_each_due(Instant now, Take take) const;
  /// The same for one resource, in order of expiry.
  template <typename Take>
  static bool for_each_lapsed(const ResourceSlot& resource, Instant now, Take take);

  [[nodiscard]] std::size_t hold_bytes() const { return holds_.bytes() + extras_.bytes(); }
  [[nodiscard]] std::size_t live_bytes() const;
  [[nodiscard]] std::size_t resource_bytes() const {
    return resources_.bytes() + newest_of_requester_.bytes();
  }

 private:
  static void count(ResourceSlot& resource, const HoldRow& before, const HoldRow& after);
  HoldSlot& changed_slot(const Record& record);
  void keep_terms(HoldSlot& slot, const HoldRow& row);
  ResourceSlot& touch_resource(std::uint32_t number);
  void add_live(ResourceSlot& resource, const ExpiryHeap::Entry& entry);
  void remove_live(ResourceSlot& resource, std::size_t position);
  /// Tells a hold where it is in its resource's heap.
  [[nodiscard]] auto note_place() {
    return [this](std::uint32_t ordinal, std::size_t position) {
      holds_[ordinal - 1].place_or_end = static_cast<std::int64_t>(position);
    };
  }

  Chunked<HoldSlot> holds_;  ///< ordinal o is at o − 1
  HoldExtras extras_;
  Chunked<ResourceSlot, 256> resources_;
  Chunked<std::uint32_t> newest_of_requester_;
  std::size_t live_count_ = 0;
  std::array<std::size_t, 5> resolved_counts_{};  ///< by HoldState
  ResourcesByExpiry by_expiry_;
};

template <typename Take>
bool HoldTable::for_each_lapsed(const ResourceSlot& resource, Instant now, Take take) {
  const std::int64_t now_us = now.time_since_epoch().count();
  if (resource.live.empty() || resource.earliest_us > now_us) return true;  // the heap is far away
  return resource.live.for_each_lapsed(now_us, take);
}

template <typename Take>
void HoldTable::for_each_due(Instant now, Take take) const {
  const std::int64_t now_us = now.time_since_epoch().count();
  for (const ResourceSlot& resource : by_expiry_) {
    if (resource.earliest_us > now_us) break;
    if (!for_each_lapsed(resource, now, take)) break;
  }
}

}  // namespace holdfast::sqlite
