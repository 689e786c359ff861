#include "store/sqlite/state/name_table.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "base/process_key.hpp"

namespace holdfast::sqlite {
namespace {

Hash128 hash_of(std::uint32_t scope, std::string_view name) {
  const HashKey& key = process_key();
  return siphash128({key[0] ^ scope, key[1]}, name);
}

}  // namespace

std::optional<std::uint32_t> NameTable::find(std::uint32_t scope, std::string_view name) const {
  const Hash128 hash = hash_of(scope, name);
  const Shard& shard = shards_[shard_of(hash)];
  const auto found = shard.find(hash);
  if (found == shard.end()) return std::nullopt;
  return found->second;
}

std::uint32_t NameTable::intern(std::uint32_t scope, std::string_view name) {
  const Hash128 hash = hash_of(scope, name);
  HOLDFAST_ASSERT(entries_.size() < UINT32_MAX);
  const auto next = static_cast<std::uint32_t>(entries_.size());
  const auto [at, is_new] = shards_[shard_of(hash)].try_emplace(hash, next);
  if (!is_new) return at->second;
  Entry& entry = entries_.emplace_back();
  entry.data = keep(name);
  entry.size = static_cast<std::uint32_t>(name.size());
  entry.scope = scope;
  return next;
}

const char* NameTable::keep(std::string_view name) {
  HOLDFAST_ASSERT(name.size() <= arena_bytes);
  if (name.empty()) return "";
  if (arena_bytes - arena_used_ < name.size()) {
    arenas_.emplace_back(arena_bytes);
    arena_used_ = 0;
  }
  char* at = &arenas_.back()[arena_used_];
  std::memcpy(at, name.data(), name.size());
  arena_used_ += name.size();
  return at;
}

std::size_t NameTable::bytes() const {
  std::size_t sum = entries_.bytes() + arenas_.size() * arena_bytes + shard_count * sizeof(Shard);
  for (const Shard& shard : shards_) sum += shard.bucket_count() * (sizeof(Shard::value_type) + 1);
  return sum;
}

}  // namespace holdfast::sqlite
