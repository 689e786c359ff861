#include "schema/compiler.hpp"

#include "base/json_members.hpp"
#include "schema/uri.hpp"

namespace holdfast::schema {
namespace {

constexpr std::size_t nodes_max = 20'000;     // a node is some hundred bytes for a `{}`
constexpr std::size_t uri_bytes_max = 2'048;  // else many short $id below a long one take much

bool is_anchor(std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool later = (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!letter && !(later && i > 0)) return false;
  }
  return true;
}

}  // namespace

std::string pointer_of(const Compiled& compiled, NodeId node) {
  std::vector<const Node*> steps;
  for (NodeId at = node; at != no_node; at = compiled.nodes[at].up) {
    steps.push_back(&compiled.nodes[at]);
  }
  steps.pop_back();  // the document itself
  std::string pointer;
  for (; !steps.empty(); steps.pop_back()) {
    pointer += pointer_step(steps.back()->keyword) + steps.back()->step;
  }
  return pointer;
}

bool Compiler::compile() {
  add_root();
  for (const Reference& reference : references_) {
    if (error_) break;
    resolve(reference);
  }
  if (!error_) refuse_circles();
  return !error_;
}

void Compiler::add_root() {
  out_.resources.push_back({"", 0, &out_.document, {}, {}});
  add(out_.document, {});
  resource_of_.try_emplace(out_.resources.front().uri, 0);
}

NodeId Compiler::add(const Value& value, Node place) {
  const auto id = static_cast<NodeId>(out_.nodes.size());
  if (id == nodes_max) {
    fail_at(0, "", "has more than 20000 schemas in it");
    return 0;
  }
  if (id != 0) place.resource = out_.nodes[place.up].resource;
  out_.nodes.push_back(std::move(place));
  node_of_.emplace(&value, id);
  if (value.kind == Kind::boolean) {
    out_.nodes.back().always = value.truth;
  } else if (value.kind != Kind::object) {
    fail_at(id, "", "must be a schema: an object, true or false");
  } else {
    read_identity(id, value);
    read_keywords(id, value);
  }
  return id;
}

NodeId Compiler::add_child(const Keyword& keyword, const Value& value, std::string_view step) {
  Node place;
  place.up = keyword.id;
  place.keyword = keyword.name;
  place.step = pointer_step(step);
  return add(value, std::move(place));
}

NodeId Compiler::add_only_child(const Keyword& keyword) {
  Node place;
  place.up = keyword.id;
  place.keyword = keyword.name;
  return add(keyword.value, std::move(place));
}

void Compiler::read_identity(NodeId id, const Value& value) {
  if (value.member("$id") != nullptr) begin_resource(id, value);
  for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    if (const Value* name = value.member(keyword)) add_anchor(id, keyword, *name);
  }
}

void Compiler::begin_resource(NodeId id, const Value& schema) {
  const Value& value = *schema.member("$id");
  if (value.kind != Kind::string) return fail_at(id, "$id", "must be a string");
  const auto fragment = fragment_of(value.text);
  if (fragment && !fragment->empty()) return fail_at(id, "$id", "must not have a fragment");
  Node& node = out_.nodes[id];
  std::string uri = resolve_uri(out_.resources[node.resource].uri, value.text);
  if (uri.size() > uri_bytes_max) return fail_at(id, "$id", "must not be over 2048 bytes long");
  if (id == 0) {
    out_.resources.front().uri = std::move(uri);
    return;
  }
  const auto index = static_cast<std::uint32_t>(out_.resources.size());
  const bool first = uri != out_.resources.front().uri && resource_of_.emplace(uri, index).second;
  if (!first) return fail_at(id, "$id", "is the URI of another schema, too");
  out_.resources.push_back({std::move(uri), id, &schema, {}, {}});
  node.resource = index;
}

void Compiler::add_anchor(NodeId id, std::string_view keyword, const Value& value) {
  if (value.kind != Kind::string || !is_anchor(value.text)) {
    return fail_at(id, keyword, "must be a name of letters, digits, _, - and ., not a digit first");
  }
  Node& node = out_.nodes[id];
  Resource& resource = out_.resources[node.resource];
  const auto [at, fresh] = resource.anchors.emplace(value.text, id);
  if (!fresh && at->second != id) return fail_at(id, keyword, "is an anchor of another schema");
  if (keyword != "$dynamicAnchor") return;
  resource.dynamic_anchors.emplace(value.text, id);
  node.dynamic_anchor = value.text;
}

void Compiler::read_keywords(NodeId id, const Value& value) {
  for (const Value& member : value.children) {
    if (error_) return;
    const Keyword keyword{id, out_.nodes[id], member.name, member};
    if (read_keyword(*this, keyword)) continue;
    if (out_.options.strict && !member.name.starts_with("x-")) {
      fail(keyword, "is no keyword of draft 2020-12; begin the name with \"x-\" if it is yours");
    }
  }
}

void Compiler::refer_later(const Keyword& keyword, bool dynamic) {
  if (keyword.value.kind != Kind::string) return fail(keyword, "must be a string");
  references_.push_back({keyword.id, keyword.value.text, dynamic});
}

std::optional<Regex> Compiler::regex(const Keyword& keyword, std::string_view pattern) {
  auto compiled = Regex::compile(pattern, pattern_budget_);
  if (compiled) return std::move(*compiled);
  fail(keyword, "is no pattern that can be checked: " + compiled.error());
  return std::nullopt;
}

void Compiler::fail(const Keyword& keyword, std::string_view text) {
  fail_at(keyword.id, keyword.name, std::string(text));
}

void Compiler::fail_at(NodeId id, std::string_view keyword, std::string text) {
  if (error_) return;
  std::string pointer = pointer_of(out_, id);
  if (!keyword.empty()) pointer += pointer_step(keyword);
  error_ = {std::move(pointer), std::move(text)};
}

}  // namespace holdfast::schema
