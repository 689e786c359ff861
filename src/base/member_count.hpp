#pragma once

#include <cstddef>
#include <utility>

namespace holdfast {

/// Becomes whatever is asked for. Only where nothing is evaluated.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

/// How many members an aggregate has: as many as it can be made of.
template <typename Aggregate, typename... Given>
[[nodiscard]] consteval std::size_t member_count() {
  if constexpr (requires { Aggregate{std::declval<Given>()..., std::declval<Anything>()}; }) {
    return member_count<Aggregate, Given..., Anything>();
  } else {
    return sizeof...(Given);
  }
}

}  // namespace holdfast
