#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/chunked.hpp"
#include "base/large_memory.hpp"
#include "domain/rows.hpp"

namespace holdfast::sqlite {

/// Names stored once and numbered from 0 in order of arrival. A name belongs to a scope (its
/// tenant's number): equal names of two tenants are two names. A name is found by 128 bits of keyed
/// hash, which stand for it as they do for a token. Addresses never move, and the index is cut into
/// shards so that no insertion waits for the whole of it to grow.
class NameTable {
 public:
  NameTable() : shards_(shard_count) {}
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t scope, std::string_view name) const;
  /// The number of a name, new or old.
  std::uint32_t intern(std::uint32_t scope, std::string_view name);

  [[nodiscard]] std::string_view name(std::uint32_t number) const {
    return {entries_[number].data, entries_[number].size};
  }
  [[nodiscard]] std::uint32_t scope(std::uint32_t number) const { return entries_[number].scope; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    const char* data = nullptr;
    std::uint32_t size = 0;
    std::uint32_t scope = 0;
  };
  using Shard = boost::unordered_flat_map<Hash128, std::uint32_t, KeyHash, std::equal_to<>,
                                          LargeAllocator<std::pair<const Hash128, std::uint32_t>>>;

  [[nodiscard]] static std::size_t shard_of(const Hash128& hash) { return hash.high % shard_count; }
  [[nodiscard]] const char* keep(std::string_view name);

  static constexpr std::size_t shard_count = 256;
  static constexpr std::size_t arena_bytes = 65'536;

  Chunked<Entry> entries_;
  std::vector<Shard> shards_;
  std::vector<LargeArray<char>> arenas_;
  std::size_t arena_used_ = arena_bytes;
};

}  // namespace holdfast::sqlite
