// What a schema says about objects.

#include <algorithm>

#include "schema/run.hpp"

namespace holdfast::schema {

bool Run::object(const Frame& frame) {
  if (frame.value.kind != Kind::object) return true;
  const Node& node = frame.node;
  const std::size_t size = frame.value.children.size();
  bool fit = true;
  if (node.members_min && size < *node.members_min) {
    fit = misfit(frame, "minProperties",
                 [&] { return "has fewer members than " + std::to_string(*node.members_min); });
  }
  if (node.members_max && size > *node.members_max) {
    fit = misfit(frame, "maxProperties",
                 [&] { return "has more members than " + std::to_string(*node.members_max); });
  }
  if (goes_on(fit)) fit = required_members(frame) && fit;
  const bool looks_at_members = !node.properties.empty() || !node.patterns.empty() ||
                                node.additional != no_node || node.names != no_node;
  if (looks_at_members && goes_on(fit)) fit = members(frame) && fit;
  for (const auto& [name, schema] : node.dependent_schemas) {
    if (!goes_on(fit) || !spend(1)) return false;
    if (frame.value.member(name) == nullptr) continue;
    fit = apply(schema, frame.value, frame.place, frame.marks) && fit;
  }
  return fit;
}

bool Run::required_members(const Frame& frame) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  bool fit = true;
  const auto need = [&](const std::vector<std::string_view>& names, std::string_view keyword) {
    if (!spend(names.size())) return;
    for (const std::string_view name : names) {
      if (value.member(name) != nullptr) continue;
      if (!goes_on(fit)) return;
      fit = misfit(frame, keyword, [&] { return "has no member \"" + std::string(name) + '"'; });
    }
  };
  need(node.required, "required");
  for (const Dependency& dependency : node.dependent_required) {
    if (!goes_on(fit) || !spend(1)) return false;
    if (value.member(dependency.name) != nullptr) need(dependency.required, "dependentRequired");
  }
  return fit;
}

bool Run::members(const Frame& frame) {
  bool fit = true;
  for (std::size_t i = 0; i < frame.value.children.size() && goes_on(fit); ++i) {
    if (!spend(1)) return false;
    fit = member(frame, i) && fit;
  }
  return fit;
}

bool Run::member(const Frame& frame, std::size_t index) {
  const Node& node = frame.node;
  const Value& value = frame.value;
  const Place& place = frame.place;
  Marks* const marks = frame.marks;
  const Value& child = value.children[index];
  const Place at = place.member(child.name);
  bool fit = true;
  if (node.names != no_node) {
    Value name;
    name.kind = Kind::string;
    name.text = child.name;
    name.weight += name.text.size() / 16;
    fit = apply(node.names, name, at, nullptr);
  }
  bool known = false;
  const auto property = std::lower_bound(
      node.properties.begin(), node.properties.end(), child.name,
      [](const auto& each, std::string_view wanted) { return each.first < wanted; });
  if (property != node.properties.end() && property->first == child.name && goes_on(fit)) {
    known = true;
    fit = apply(property->second, child, at, nullptr) && fit;
  }
  for (const PatternNode& each : node.patterns) {
    if (!goes_on(fit)) return false;
    const auto found = each.pattern.search(child.name, work_);
    if (!found) return spend(work_);  // which gives up
    if (!*found) continue;
    known = true;
    fit = apply(each.node, child, at, nullptr) && fit;
  }
  if (!known && node.additional != no_node && goes_on(fit)) {
    known = true;
    fit = apply(node.additional, child, at, nullptr) && fit;
  }
  if (known && marks != nullptr) (*marks)[index] = true;
  return fit;
}

}  // namespace holdfast::schema
