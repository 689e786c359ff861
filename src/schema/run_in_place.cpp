// Other schemas at the same value.

#include <iterator>

#include "schema/run.hpp"

namespace holdfast::schema {

bool Run::references(const Frame& frame) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  const Place& place = frame.place;
  Marks* const marks = frame.marks;
  bool fit = true;
  if (node.ref != no_node) fit = apply(node.ref, value, place, marks);
  if (node.dynamic_ref == no_node || !goes_on(fit)) return fit;
  return apply(dynamic_target(node), value, place, marks) && fit;
}

/// The outermost resource that was entered decides what a dynamic name means.
NodeId Run::dynamic_target(const Node& node) const {
  if (node.dynamic_name.empty()) return node.dynamic_ref;
  for (const std::uint32_t entered : scope_) {
    const auto& anchors = compiled_.resources[entered].dynamic_anchors;
    const auto at = anchors.find(node.dynamic_name);
    if (at != anchors.end()) return at->second;
  }
  return node.dynamic_ref;
}

bool Run::combined(const Frame& frame) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  const Place& place = frame.place;
  Marks* const marks = frame.marks;
  bool fit = true;
  for (const NodeId each : node.all_of) {
    if (!goes_on(fit)) return false;
    fit = apply(each, value, place, marks) && fit;
  }
  if (goes_on(fit)) fit = alternatives(frame) && fit;
  if (node.negated == no_node || !goes_on(fit)) return fit;
  if (!tries(node.negated, value, place, nullptr)) return fit;
  return misfit(frame, "not", "is what it must not be");
}

bool Run::alternatives(const Frame& frame) {
  const Node& node = frame.node;
  bool fit = true;
  if (!node.any_of.empty() && fitting(frame, node.any_of, 1) == 0) {
    fit = misfit(frame, "anyOf", [&] {
      return "fits none of the " + std::to_string(node.any_of.size()) + " schemas";
    });
  }
  if (node.one_of.empty() || !goes_on(fit)) return fit;
  const std::size_t count = fitting(frame, node.one_of, 2);
  if (count == 1) return fit;
  return misfit(frame, "oneOf", [&] {
    return (count == 0 ? "fits none of the " : "fits more than one of the ") +
           std::to_string(node.one_of.size()) + " schemas";
  });
}

bool Run::conditional(const Frame& frame) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  const Place& place = frame.place;
  Marks* const marks = frame.marks;
  if (node.condition == no_node) return true;
  const NodeId next = tries(node.condition, value, place, marks) ? node.then_do : node.else_do;
  return next == no_node || apply(next, value, place, marks);
}

std::size_t Run::fitting(const Frame& frame, const std::vector<NodeId>& list, std::size_t enough) {
  std::size_t count = 0;
  std::vector<std::string> refused;
  for (const NodeId each : list) {
    if (!given_up_.empty()) break;
    if (!tries(each, frame.value, frame.place, frame.marks, &refused)) continue;
    ++count;
    if (count >= enough && frame.marks == nullptr && !want_secrets_) break;
  }
  if (count > 0) return count;
  // Nobody can say what was meant: then everything is secret that could be, and nothing is told as
  // not evaluated.
  std::move(refused.begin(), refused.end(), std::back_inserter(secrets_));
  if (frame.marks != nullptr) frame.marks->assign(frame.marks->size(), true);
  return 0;
}

bool Run::tries(NodeId id, const Value& value, const Place& place, Marks* marks,
                std::vector<std::string>* refused) {
  if (marks != nullptr && !spend(marks->size() / 8)) return false;
  Marks found(marks == nullptr ? 0 : marks->size());
  std::vector<Misfit>* const told = std::exchange(misfits_, nullptr);
  const std::size_t known = secrets_.size();
  const bool fit = apply(id, value, place, marks == nullptr ? nullptr : &found);
  misfits_ = told;
  if (fit) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) (*marks)[i] = true;
    }
    return true;
  }
  const auto begin = secrets_.begin() + static_cast<std::ptrdiff_t>(known);
  if (refused != nullptr) std::move(begin, secrets_.end(), std::back_inserter(*refused));
  secrets_.resize(known);
  return false;
}

}  // namespace holdfast::schema
