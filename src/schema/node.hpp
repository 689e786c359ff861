#pragma once

#include <simdjson.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schema/formats.hpp"
#include "schema/regex.hpp"
#include "schema/schema.hpp"
#include "schema/value.hpp"

/// A compiled schema, as the compiler leaves it and checks read it.
namespace holdfast::schema {

using NodeId = std::uint32_t;
constexpr NodeId no_node = std::numeric_limits<NodeId>::max();

using Count = std::optional<std::uint64_t>;
using Bound = std::optional<Decimal>;
/// Names and the schemas for them, sorted by name.
using NamedNodes = std::vector<std::pair<std::string_view, NodeId>>;

struct PatternNode {
  Regex pattern;
  NodeId node;
};

struct Dependency {
  std::string_view name;
  std::vector<std::string_view> required;
};

/// Bits of `Node::types`.
namespace types {
constexpr unsigned null = 1, boolean = 2, integer = 4, number = 8, string = 16, array = 32,
                   object = 64;
}

/// One schema. What it does not say is empty, `no_node` or 0.
struct Node {
  // Where it is: below which node, at which keyword, and at which name or index there.
  NodeId up = no_node;
  std::string_view keyword;
  std::string step;  ///< escaped, with its slash; empty for a keyword that is itself a schema
  std::uint32_t resource = 0;

  std::optional<bool> always;  ///< it is `true` or `false`
  bool secret = false;
  std::string_view dynamic_anchor;

  unsigned types = 0;
  const Value* constant = nullptr;
  std::optional<std::vector<const Value*>> choices;  ///< of `enum`, sorted

  Bound minimum, maximum, above, below, multiple_of;

  Count length_min, length_max;
  std::optional<Regex> pattern;
  const Format* format = nullptr;

  std::vector<NodeId> prefix;
  NodeId items = no_node;
  NodeId contains = no_node;
  Count contains_min, contains_max, items_min, items_max;
  bool unique = false;

  NamedNodes properties;
  std::vector<PatternNode> patterns;
  NodeId additional = no_node;
  NodeId names = no_node;
  std::vector<std::string_view> required;
  std::vector<Dependency> dependent_required;
  NamedNodes dependent_schemas;
  Count members_min, members_max;

  NodeId ref = no_node;
  NodeId dynamic_ref = no_node;   ///< where it leads without a dynamic scope
  std::string_view dynamic_name;  ///< what is looked for there; empty: nothing
  std::vector<NodeId> all_of, any_of, one_of;
  NodeId negated = no_node;
  NodeId condition = no_node, then_do = no_node, else_do = no_node;

  NodeId unevaluated_items = no_node;
  NodeId unevaluated_members = no_node;
};

/// A schema with an URI of its own: the document, and whatever in it has an `$id`.
struct Resource {
  std::string uri;
  NodeId root = no_node;
  const Value* value = nullptr;
  std::unordered_map<std::string_view, NodeId> anchors;  ///< dynamic ones, too
  std::unordered_map<std::string_view, NodeId> dynamic_anchors;
};

/// Views and pointers are into `document`.
struct Compiled {
  std::string text;
  Options options;
  simdjson::dom::parser parser;  ///< owns the strings of `document`
  Value document;
  std::deque<Node> nodes;  ///< the first is the document's; nodes stay where they are
  std::vector<Resource> resources;
};

/// As a JSON Pointer into the schema.
[[nodiscard]] std::string pointer_of(const Compiled& compiled, NodeId node);

}  // namespace holdfast::schema
