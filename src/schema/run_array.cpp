// What a schema says about arrays.

#include <algorithm>

#include "schema/run.hpp"

namespace holdfast::schema {

bool Run::array(const Frame& frame) {
  if (frame.value.kind != Kind::array) return true;
  const Node& node = frame.node;
  const std::size_t size = frame.value.children.size();
  bool fit = true;
  if (node.items_min && size < *node.items_min) {
    fit = misfit(frame, "minItems",
                 [&] { return "has fewer items than " + std::to_string(*node.items_min); });
  }
  if (node.items_max && size > *node.items_max) {
    fit = misfit(frame, "maxItems",
                 [&] { return "has more items than " + std::to_string(*node.items_max); });
  }
  if (node.unique && goes_on(fit)) fit = unique(frame) && fit;
  if (goes_on(fit)) fit = items(frame) && fit;
  if (node.contains != no_node && goes_on(fit)) fit = contained(frame) && fit;
  return fit;
}

bool Run::items(const Frame& frame) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  const Place& place = frame.place;
  Marks* const marks = frame.marks;
  const std::size_t size = node.items != no_node
                               ? value.children.size()
                               : std::min(node.prefix.size(), value.children.size());
  bool fit = true;
  for (std::size_t i = 0; i < size && goes_on(fit); ++i) {
    const NodeId at = i < node.prefix.size() ? node.prefix[i] : node.items;
    fit = apply(at, value.children[i], place.item(i), nullptr) && fit;
    if (marks != nullptr) (*marks)[i] = true;
  }
  return fit;
}

bool Run::contained(const Frame& frame) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  const Place& place = frame.place;
  Marks* const marks = frame.marks;
  const std::uint64_t least = node.contains_min.value_or(1);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < value.children.size() && given_up_.empty(); ++i) {
    const bool decided = count >= least && !node.contains_max;
    if (decided && marks == nullptr && !want_secrets_) break;
    if (!tries(node.contains, value.children[i], place.item(i), nullptr)) continue;
    ++count;
    if (marks != nullptr) (*marks)[i] = true;
  }
  if (count < least) {
    return misfit(frame, node.contains_min ? "minContains" : "contains", [&] {
      return "has fewer items of the kind it must contain than " + std::to_string(least);
    });
  }
  if (!node.contains_max || count <= *node.contains_max) return true;
  return misfit(frame, "maxContains", [&] {
    return "has more items of the kind it must contain than " + std::to_string(*node.contains_max);
  });
}

bool Run::unique(const Frame& frame) {
  const std::vector<Value>& items = frame.value.children;
  std::uint64_t rounds = 1;
  for (std::size_t n = items.size(); n > 0; n /= 2) ++rounds;
  if (!spend(frame.value.weight * rounds)) return false;
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return compare(items[left], items[right]) < 0;
  });
  const auto twice = std::adjacent_find(
      order.begin(), order.end(),
      [&](std::size_t left, std::size_t right) { return compare(items[left], items[right]) == 0; });
  if (twice == order.end()) return true;
  return misfit(frame, "uniqueItems", [&] {
    const auto [first, second] = std::minmax(twice[0], twice[1]);
    return "has the same item at " + std::to_string(first) + " and " + std::to_string(second);
  });
}

bool Run::unevaluated(const Frame& frame) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  const Place& place = frame.place;
  Marks* const marks = frame.marks;
  const bool members = value.kind == Kind::object;
  const NodeId rest = members ? node.unevaluated_members : node.unevaluated_items;
  bool fit = true;
  for (std::size_t i = 0; i < value.children.size() && goes_on(fit); ++i) {
    if ((*marks)[i]) continue;
    const Value& child = value.children[i];
    const Place at = members ? place.member(child.name) : place.item(i);
    fit = apply(rest, child, at, nullptr) && fit;
  }
  return fit;
}

}  // namespace holdfast::schema
