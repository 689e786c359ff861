#include "store/sqlite/name_table.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "base/process_key.hpp"

namespace holdfast::sqlite {

NameTable::NameTable() : shards_(shard_count, Shard(0, Hash{this}, Equal{this})) {}

bool NameTable::Equal::operator()(const Wanted& wanted, std::uint32_t number) const {
  const Entry& entry = table->entries_[number];
  return entry.hash == wanted.hash && entry.scope == wanted.scope &&
         std::string_view(entry.data, entry.size) == wanted.name;
}

NameTable::Wanted NameTable::wanted(std::uint32_t scope, std::string_view name) {
  const HashKey scoped{process_key()[0] ^ scope, process_key()[1]};
  return {siphash128(scoped, name).low, scope, name};
}

std::optional<std::uint32_t> NameTable::find(std::uint32_t scope, std::string_view name) const {
  const Wanted key = wanted(scope, name);
  const Shard& shard = shards_[shard_of(key.hash)];
  const auto found = shard.find(key);
  if (found == shard.end()) return std::nullopt;
  return *found;
}

std::uint32_t NameTable::intern(std::uint32_t scope, std::string_view name) {
  const Wanted key = wanted(scope, name);
  Shard& shard = shards_[shard_of(key.hash)];
  if (const auto found = shard.find(key); found != shard.end()) return *found;
  HOLDFAST_ASSERT(entries_.size() < UINT32_MAX);
  const auto number = static_cast<std::uint32_t>(entries_.size());
  Entry& entry = entries_.emplace_back();
  entry.data = keep(name);
  entry.size = static_cast<std::uint32_t>(name.size());
  entry.scope = scope;
  entry.hash = key.hash;
  shard.insert(number);
  return number;
}

const char* NameTable::keep(std::string_view name) {
  if (arena_bytes - arena_used_ < name.size()) {
    arenas_.push_back(std::make_unique<char[]>(arena_bytes));
    arena_used_ = 0;
  }
  char* at = arenas_.empty() ? nullptr : arenas_.back().get() + arena_used_;
  if (!name.empty()) std::memcpy(at, name.data(), name.size());
  arena_used_ += name.size();
  return at;
}

std::size_t NameTable::bytes() const {
  std::size_t sum = entries_.bytes() + arenas_.size() * arena_bytes + shard_count * sizeof(Shard);
  for (const Shard& shard : shards_) sum += shard.bucket_count() * (sizeof(std::uint32_t) + 1);
  return sum;
}

}  // namespace holdfast::sqlite
