#pragma once

#include <cstddef>
#include <memory>
#include <utility>

/// Memory for tables that grow large and are read at random. Once there is much of it, it is taken
/// from the kernel in large pages: with small ones, finding out where a byte is takes longer than
/// reading it. May be called from any thread.
namespace holdfast {

/// Aligned to 64 bytes; not cleared. Throws std::bad_alloc.
[[nodiscard]] void* allocate_large(std::size_t bytes);
/// `bytes` as they were asked for.
void free_large(void* memory, std::size_t bytes) noexcept;

/// For containers.
template <typename T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <typename U>
  explicit(false) LargeAllocator(const LargeAllocator<U>&) noexcept {}
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_large(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept { free_large(memory, count * sizeof(T)); }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

/// An array of a fixed size; its elements are value-initialised.
template <typename T>
class LargeArray {
 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t size)
      : elements_(static_cast<T*>(allocate_large(size * sizeof(T)))), size_(size) {
    std::uninitialized_value_construct_n(elements_, size_);
  }
  ~LargeArray() {
    if (elements_ == nullptr) return;
    std::destroy_n(elements_, size_);
    free_large(elements_, size_ * sizeof(T));
  }
  LargeArray(LargeArray&& other) noexcept
      : elements_(std::exchange(other.elements_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  LargeArray& operator=(LargeArray&& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t at) { return elements_[at]; }
  [[nodiscard]] const T& operator[](std::size_t at) const { return elements_[at]; }

 private:
  T* elements_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace holdfast
