#include "http/monitoring/list_counts.hpp"

namespace holdfast::http {
namespace {

constexpr int times_as_long = 20;

}  // namespace

ListSizes ListCounts::counted(const Store& store) const {
  const std::lock_guard lock(mutex_);
  const auto begun = Clock::now();
  if (begun < not_before_) return last_;
  auto sizes = store.list_sizes(tenant_, space_);
  const auto ended = Clock::now();
  not_before_ = ended + times_as_long * (ended - begun);
  if (sizes) last_ = std::move(*sizes);
  return last_;
}

}  // namespace holdfast::http
