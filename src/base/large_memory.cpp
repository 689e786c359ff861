#include "base/large_memory.hpp"

#include <sys/mman.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "base/assert.hpp"

// Memory comes in slabs of one large page each. A slab is cut into blocks of one size; when the
// last of them is given back, it may be cut anew. Tables ask for few sizes, and tend to leave one
// size for the next altogether, so little is left unused.
namespace holdfast {
namespace {

constexpr std::size_t slab_bytes = std::size_t{2} << 20U;
constexpr std::size_t slabs_per_region = 32;
constexpr std::align_val_t alignment{64};
constexpr std::size_t block_bytes_min = 1024;
constexpr std::size_t block_bytes_max = slab_bytes / 4;
/// Until there is this much, ordinary memory does, and no large page is half empty.
constexpr std::size_t ordinary_bytes = std::size_t{32} << 20U;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool slabs_wanted = false;  // sanitizers watch ordinary memory
#else
constexpr bool slabs_wanted = true;
#endif

class Slabs {
 public:
  /// Null: take ordinary memory.
  void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    asked_for_ += bytes;
    if (asked_for_ < ordinary_bytes) return nullptr;
    std::vector<Slab*>& open = open_[bytes];
    if (open.empty()) open.push_back(cut(bytes));
    Slab& slab = *open.back();
    void* block = slab.free;
    if (block != nullptr) {
      slab.free = *static_cast<void**>(block);
    } else {
      block = slab.base + slab.begun++ * bytes;
    }
    if (++slab.used == slab_bytes / bytes) open.pop_back();
    return block;
  }

  /// False: it is ordinary memory.
  bool free(void* block, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    asked_for_ -= bytes;
    const auto found = slabs_.find(reinterpret_cast<std::uintptr_t>(block) / slab_bytes);
    if (found == slabs_.end()) return false;
    Slab& slab = *found->second;
    HOLDFAST_ASSERT(slab.block_bytes == bytes && slab.used > 0);
    *static_cast<void**>(block) = std::exchange(slab.free, block);
    std::vector<Slab*>& open = open_[bytes];
    if (slab.used-- == slab_bytes / bytes) open.push_back(&slab);
    if (slab.used > 0) return true;
    std::erase(open, &slab);
    idle_.push_back(&slab);
    return true;
  }

 private:
  struct Slab {
    std::byte* base = nullptr;
    std::size_t block_bytes = 0;
    std::size_t begun = 0;  ///< blocks that were ever in use
    std::size_t used = 0;
    void* free = nullptr;  ///< a list through the blocks themselves
  };

  Slab* cut(std::size_t bytes) {
    if (idle_.empty()) add_region();
    Slab* const slab = idle_.back();
    idle_.pop_back();
    *slab = Slab{.base = slab->base, .block_bytes = bytes};
    return slab;
  }

  void add_region() {
    constexpr std::size_t bytes = slab_bytes * slabs_per_region;
    void* const mapped = ::mmap(nullptr, bytes + slab_bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(mapped);
    const std::size_t ahead = (slab_bytes - address % slab_bytes) % slab_bytes;
    std::byte* const base = static_cast<std::byte*>(mapped) + ahead;
    (void)::madvise(base, bytes, MADV_HUGEPAGE);  // without large pages it is only slower
    for (std::size_t i = slabs_per_region; i-- > 0;) {
      auto slab = std::make_unique<Slab>();
      slab->base = base + i * slab_bytes;
      idle_.push_back(slab.get());
      slabs_.emplace(reinterpret_cast<std::uintptr_t>(slab->base) / slab_bytes, std::move(slab));
    }
  }

  std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t asked_for_ = 0;
  boost::unordered_flat_map<std::uintptr_t, std::unique_ptr<Slab>> slabs_;  ///< by number of page
  boost::unordered_flat_map<std::size_t, std::vector<Slab*>> open_;  ///< with a free block, by size
  std::vector<Slab*> idle_;
};

/// Never destroyed: tables of a static lifetime may outlive it.
Slabs& slabs() {
  static auto* const all = new Slabs;
  return *all;
}

bool is_for_slabs(std::size_t bytes) {
  return slabs_wanted && bytes >= block_bytes_min && bytes <= block_bytes_max;
}

/// Blocks of a slab follow each other without a gap.
constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (is_for_slabs(bytes)) {
    if (void* const block = slabs().allocate(rounded(bytes))) return block;
  }
  return ::operator new(bytes, alignment);
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (is_for_slabs(bytes) && slabs().free(memory, rounded(bytes))) return;
  ::operator delete(memory, alignment);
}

}  // namespace holdfast
