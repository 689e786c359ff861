#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "base/siphash.hpp"
#include "domain/invariants_findings.hpp"

namespace holdfast::audit {

struct HashOfHash {
  std::size_t operator()(const Hash128& key) const { return key.low; }
};

/// Hashes names with a key drawn for this one audit: two names can stand for each other only by
/// luck, never by design.
class Names {
 public:
  explicit Names(const HashKey& key) : key_(key) {}
  [[nodiscard]] Hash128 of(std::string_view scope, std::string_view name) const {
    return siphash128(key_, scope, name);
  }
  [[nodiscard]] std::uint64_t of(std::string_view name) const { return siphash128(key_, name).low; }

 private:
  HashKey key_;
};

/// The books of holds and resources: PC-1 to PC-9, CAP-1, CAP-2, and of IR-5 whether each refusal
/// was true when it was given.
class HoldBooks {
 public:
  HoldBooks(const Names& names, Findings& findings) : names_(names), findings_(findings) {}

  void see(const Record& record);

  [[nodiscard]] std::size_t holds() const { return holds_.size(); }
  [[nodiscard]] std::size_t resources() const { return resources_.size(); }

 private:
  /// Sums of quantities, which a damaged journal may make larger than any quantity.
  __extension__ using Sum = __int128;

  struct HoldBook {
    std::uint64_t salt = 0;
    std::uint64_t requester = 0;
    std::int64_t placed_us = 0;
    std::int64_t expires_us = 0;
    std::int64_t quantity = 0;
    std::int64_t confirmed = 0;  ///< of it, what was cancelled since included
    std::int64_t cancelled = 0;
    std::uint32_t resource = 0;
    HoldState state = HoldState::held;
    bool occupies = false;  ///< with what of it is held

    /// A damaged quantity holds nothing.
    [[nodiscard]] std::int64_t held() const {
      const bool sound = quantity >= 1 && quantity <= quantity_max;
      return state == HoldState::held ? (sound ? quantity : 0) - confirmed : 0;
    }
    [[nodiscard]] std::int64_t kept() const { return confirmed - cancelled; }
  };

  struct Lapse {
    std::int64_t expires_us;
    std::uint64_t ordinal;
    friend bool operator>(const Lapse& left, const Lapse& right) {
      return left.expires_us > right.expires_us;
    }
  };

  struct ResourceBook {
    std::uint64_t tenant = 0;
    std::int64_t capacity = 1;
    Sum occupied = 0;           ///< confirmed, and held but not lapsed, as of the last `let_lapse`
    std::vector<Lapse> lapses;  ///< a heap, earliest first: what may lapse
  };

  void place(const Record& record);
  void resolve(const Record& record, HoldState to);
  void extend(const Record& record);
  void confirm_part(const Record& record);
  void cancel(const Record& record);
  /// The hold that a record changes; null, and reported, if there is none.
  HoldBook* changed(const Record& record, std::string_view how);
  void check_still_held(const Record& record, const HoldBook& hold, std::string_view how);
  void check_taken(const Record& record, std::int64_t there, std::string_view how);
  void check_resolution(const Record& record, const HoldBook& hold, HoldState to);
  void check_unchanged(const Record& record, const HoldBook& hold);
  void declare(const Record& record);
  void check_capacity(const Record& record, const ResourceBook& resource);

  void refuse(const Record& record);
  [[nodiscard]] const char* why_untrue(const Record& record);
  [[nodiscard]] const char* why_untrue_of_hold(const Record& record);
  [[nodiscard]] const char* why_untrue_of_resource(const Record& record);

  std::uint32_t resource_of(const Record& record);
  /// Lets go of what has lapsed by then.
  void let_lapse(ResourceBook& resource, std::int64_t now_us);
  void occupy(HoldBook& hold, std::uint64_t ordinal);
  void await_lapse(const HoldBook& hold, std::uint64_t ordinal);
  void vacate(HoldBook& hold);

  const Names& names_;
  Findings& findings_;
  boost::unordered_flat_map<std::uint64_t, HoldBook> holds_;
  boost::unordered_flat_map<Hash128, std::uint32_t, HashOfHash> resource_numbers_;
  std::vector<ResourceBook> resources_;
};

}  // namespace holdfast::audit
