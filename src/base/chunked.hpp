#pragma once

#include <cstddef>
#include <vector>

#include "base/large_memory.hpp"

namespace holdfast {

/// An array that grows a chunk at a time: elements never move, and no growth step costs more
/// than one chunk. (The list of chunks does double, but it is thousands of times shorter.)
template <typename T, std::size_t per_chunk = 4096>
class Chunked {
  static_assert((per_chunk & (per_chunk - 1)) == 0);

 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t at) { return chunks_[at / per_chunk][at % per_chunk]; }
  [[nodiscard]] const T& operator[](std::size_t at) const {
    return chunks_[at / per_chunk][at % per_chunk];
  }

  /// A value-initialised element at the end.
  T& emplace_back() {
    if (size_ == chunks_.size() * per_chunk) chunks_.emplace_back(per_chunk);
    return (*this)[size_++];
  }

  [[nodiscard]] std::size_t bytes() const {
    return chunks_.size() * per_chunk * sizeof(T) + chunks_.capacity() * sizeof(LargeArray<T>);
  }

 private:
  std::vector<LargeArray<T>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace holdfast
