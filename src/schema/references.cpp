// What refers to what: the second half of the compiler.

#include <algorithm>
#include <charconv>

#include "base/percent.hpp"
#include "schema/compiler.hpp"
#include "schema/uri.hpp"

namespace holdfast::schema {
namespace {

/// One step of a JSON Pointer, unescaped; nothing if there is a `~` of no meaning.
std::optional<std::string> unescaped(std::string_view step) {
  std::string out;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      out += step[i];
      continue;
    }
    ++i;
    if (i == step.size() || (step[i] != '0' && step[i] != '1')) return std::nullopt;
    out += step[i] == '0' ? '~' : '/';
  }
  return out;
}

const Value* child_at(const Value& value, const std::string& step) {
  if (value.kind != Kind::array) return value.member(step);
  std::size_t index = 0;
  const char* const end = step.data() + step.size();
  const auto read = std::from_chars(step.data(), end, index);
  const bool plain = step == "0" || !step.starts_with('0');
  if (read.ec != std::errc() || read.ptr != end || !plain) return nullptr;
  return index < value.children.size() ? &value.children[index] : nullptr;
}

}  // namespace

const Value* Compiler::walk(const Value& from, std::string_view pointer) const {
  const Value* at = &from;
  while (at != nullptr && !pointer.empty()) {
    pointer.remove_prefix(1);  // the slash
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const auto step = unescaped(pointer.substr(0, end));
    pointer.remove_prefix(end);
    at = step ? child_at(*at, *step) : nullptr;
  }
  return at;
}

NodeId Compiler::find(const Reference& reference, std::string& anchor) {
  const std::uint32_t from = out_.nodes[reference.from].resource;
  const auto target = resource_of_.find(resolve_uri(out_.resources[from].uri, reference.text));
  if (target == resource_of_.end()) return no_node;
  const Resource& resource = out_.resources[target->second];
  const auto fragment = percent_decoded(fragment_of(reference.text).value_or(""));
  if (!fragment) return no_node;
  if (fragment->empty()) return resource.root;
  if (fragment->starts_with('/')) {
    const Value* const value = walk(*resource.value, *fragment);
    const auto found = node_of_.find(value);
    return found == node_of_.end() ? no_node : found->second;
  }
  const auto found = resource.anchors.find(*fragment);
  if (found == resource.anchors.end()) return no_node;
  anchor = *fragment;
  return found->second;
}

void Compiler::resolve(const Reference& reference) {
  std::string anchor;
  const NodeId target = find(reference, anchor);
  const std::string_view keyword = reference.dynamic ? "$dynamicRef" : "$ref";
  if (target == no_node) {
    return fail_at(reference.from, keyword,
                   "leads to no schema in this document, and others are not fetched");
  }
  Node& node = out_.nodes[reference.from];
  if (!reference.dynamic) {
    node.ref = target;
    return;
  }
  node.dynamic_ref = target;
  const std::string_view dynamic = out_.nodes[target].dynamic_anchor;
  if (!anchor.empty() && dynamic == anchor) node.dynamic_name = dynamic;
}

std::vector<NodeId> Compiler::applied_in_place(const Node& node) const {
  std::vector<NodeId> out{node.ref, node.negated, node.condition, node.then_do, node.else_do};
  if (node.dynamic_name.empty()) out.push_back(node.dynamic_ref);
  for (const auto* list : {&node.all_of, &node.any_of, &node.one_of}) {
    out.insert(out.end(), list->begin(), list->end());
  }
  for (const auto& [name, id] : node.dependent_schemas) out.push_back(id);
  std::erase(out, no_node);
  return out;
}

/// A schema that comes back to itself without going into the value would never end. Depth first,
/// with a stack of its own: chains of references are as long as the document.
void Compiler::refuse_circles() {
  struct Visit {
    NodeId id;
    std::vector<NodeId> next;
  };
  enum class State : std::uint8_t { unseen, open, done };
  std::vector<State> states(out_.nodes.size(), State::unseen);
  std::vector<Visit> path;
  const auto enter = [&](NodeId id) {
    states[id] = State::open;
    path.push_back({id, applied_in_place(out_.nodes[id])});
  };
  for (NodeId start = 0; start < states.size(); ++start) {
    if (states[start] == State::unseen) enter(start);
    while (!path.empty()) {
      Visit& top = path.back();
      if (top.next.empty()) {
        states[top.id] = State::done;
        path.pop_back();
        continue;
      }
      const NodeId next = top.next.back();
      top.next.pop_back();
      if (states[next] == State::open) {
        return fail_at(next, "", "applies itself to the same value again, without end");
      }
      if (states[next] == State::unseen) enter(next);
    }
  }
}

}  // namespace holdfast::schema
