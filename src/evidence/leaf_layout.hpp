#pragma once

#include <algorithm>
#include <array>

#include "domain/record_layout.hpp"

/// What a leaf has: the members of its record, as the record's own description says, and these.
namespace holdfast::evidence {

/// Where each is among what a leaf has besides the members of its record.
enum class Besides : std::uint8_t { decision, digest_on_record, format };
inline constexpr std::array leaf_besides{
    layout::Leaf{"decision", layout::Form::word, true},
    layout::Leaf{"digest_on_record", layout::Form::digest},
    layout::Leaf{"format", layout::Form::number},
};

/// The form of leaves that have a detail. The others are of the first form and do not say so: they
/// are what they were before there were details.
inline constexpr int format_with_detail = 2;

/// Below `layout::size` the place of a member of the record, and from there on one of `Besides`.
using LeafPlace = std::size_t;
[[nodiscard]] constexpr LeafPlace besides(Besides what) {
  return layout::size + static_cast<std::size_t>(what);
}

[[nodiscard]] constexpr layout::Leaf leaf_at(LeafPlace place) {
  if (place >= layout::size) return leaf_besides.at(place - layout::size);
  layout::Leaf leaf;
  layout::for_each_member([&](auto at) {
    if (at() == place) leaf = layout::entry<at()>.leaf;
  });
  return leaf;
}

inline constexpr std::size_t leaf_member_count =
    layout::size - 1 + leaf_besides.size();  // the checksum is no member

/// Their places in the order of RFC 8785: that of their names.
inline constexpr auto leaf_order = [] {
  std::array<LeafPlace, leaf_member_count> order{};
  std::size_t next = 0;
  for (LeafPlace place = 0; place < layout::size + leaf_besides.size(); ++place) {
    if (!leaf_at(place).name.empty()) order.at(next++) = place;
  }
  std::sort(order.begin(), order.end(),
            [](LeafPlace a, LeafPlace b) { return leaf_at(a).name < leaf_at(b).name; });
  return order;
}();

}  // namespace holdfast::evidence
