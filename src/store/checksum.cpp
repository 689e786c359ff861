#include "store/checksum.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <string_view>

namespace holdfast {
namespace {

std::int64_t us(Instant instant) { return instant.time_since_epoch().count(); }

std::uint64_t hash(const void* bytes, std::size_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

}  // namespace

std::uint64_t checksum(std::uint64_t previous, const Record& record) {
  std::string_view digest_bytes;
  if (!record.token.empty()) {
    digest_bytes = {reinterpret_cast<const char*>(record.digest.bytes.data()),
                    record.digest.bytes.size()};
  }
  const std::array<std::string_view, 7> texts{record.tenant,   record.principal, record.token,
                                              record.nonce,    digest_bytes,     record.resource,
                                              record.requester};
  std::array<std::int64_t, 14 + texts.size()> numbers{
      static_cast<std::int64_t>(record.seq),
      static_cast<std::int64_t>(record.kind),
      us(record.at),
      static_cast<std::int64_t>(record.operation),
      record.rejection ? static_cast<std::int64_t>(*record.rejection) : 0,
      static_cast<std::int64_t>(record.reason),
      static_cast<std::int64_t>(record.hold.ordinal),
      static_cast<std::int64_t>(record.hold.salt),
      record.quantity,
      us(record.expires_at),
      record.capacity,
      static_cast<std::int64_t>(record.ref),
      record.count,
      us(record.first_at)};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    numbers[14 + i] = static_cast<std::int64_t>(texts[i].size());
  }
  std::uint64_t sum_so_far = hash(numbers.data(), sizeof numbers, previous);
  for (const std::string_view text : texts) sum_so_far = hash(text.data(), text.size(), sum_so_far);
  return sum_so_far;
}

StoreError damaged_journal(std::string_view store, std::uint64_t seq, std::string_view what) {
  return {
      Effect::none,
      fmt::format("{}: the journal is damaged at record {}: {}. Restore the store from a backup, "
                  "and keep this one for the investigation; `holdfast audit` shows more.",
                  store, seq, what)};
}

bool Links::holds(const Record& record, std::uint64_t stored, bool as_written) {
  const bool is_before = record.seq == after_;  // what it goes on from itself is not known
  const bool follows = record.seq == last_ + 1 && checksum(chain_, record) == stored && as_written;
  last_ = record.seq;
  chain_ = stored;
  return is_before || follows;
}

}  // namespace holdfast
