#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace holdfast::http {

/// What a connection has received and not yet used, in one piece, with readable bytes behind it for
/// the JSON parser. Small while there is little in it: most connections are idle.
class InputBuffer {
 public:
  static constexpr std::size_t padding = 64;
  static constexpr std::size_t small = 2048;

  [[nodiscard]] std::string_view bytes() const { return {data_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }

  /// Room for more at the end, at least half of what is there already. It stays where it is until
  /// this is called again, whatever is used meanwhile: somebody may be writing into it.
  [[nodiscard]] char* room(std::size_t& size) {
    if (empty()) begin_ = end_ = 0;
    const std::size_t used = end_ - begin_;
    if (capacity_ < end_ + std::max(small / 2, used / 2) + padding) make_room(used);
    size = capacity_ - padding - end_;
    return data_.get() + end_;
  }
  void added(std::size_t count) { end_ += count; }
  void used(std::size_t count) { begin_ += count; }
  /// Gives back what is not needed by a connection that waits. Not while somebody writes into it.
  void rest() {
    if (!empty() || capacity_ <= small + padding) return;
    data_.reset();
    capacity_ = begin_ = end_ = 0;
  }

 private:
  void make_room(std::size_t used) {
    const std::size_t wanted = std::max(small, used * 2) + padding;
    if (wanted <= capacity_ && begin_ > 0) {
      std::memmove(data_.get(), data_.get() + begin_, used);
    } else {
      auto grown = std::make_unique<char[]>(wanted);
      if (used > 0) std::memcpy(grown.get(), data_.get() + begin_, used);
      data_ = std::move(grown);
      capacity_ = wanted;
    }
    begin_ = 0;
    end_ = used;
  }

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace holdfast::http
