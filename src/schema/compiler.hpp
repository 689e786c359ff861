#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/node.hpp"

namespace holdfast::schema {

/// Makes nodes of a document: first every schema in it, then what refers to them. Used once. The
/// first error is kept and ends it.
class Compiler {
 public:
  explicit Compiler(Compiled& out) : out_(out) {}

  /// `out.document` and `out.options` are there. False: `error()` says why.
  [[nodiscard]] bool compile();
  [[nodiscard]] const Error& error() const { return *error_; }

  // For keywords. ----------------------------------------------------------------------------

  /// The keyword of a node that is being read.
  struct Keyword {
    NodeId id;
    Node& node;
    std::string_view name;
    const Value& value;
  };

  [[nodiscard]] const Options& options() const { return out_.options; }
  void fail(const Keyword& keyword, std::string_view text);
  /// A schema below a keyword; `step` is a name or an index there.
  NodeId add_child(const Keyword& keyword, const Value& value, std::string_view step);
  NodeId add_only_child(const Keyword& keyword);
  /// To be found once every schema is known.
  void refer_later(const Keyword& keyword, bool dynamic);
  std::optional<Regex> regex(const Keyword& keyword, std::string_view pattern);

 private:
  struct Reference {
    NodeId from;
    std::string_view text;
    bool dynamic;
  };

  void add_root();
  NodeId add(const Value& value, Node place);
  void read_identity(NodeId id, const Value& value);
  void begin_resource(NodeId id, const Value& schema);
  void add_anchor(NodeId id, std::string_view keyword, const Value& value);
  void read_keywords(NodeId id, const Value& value);

  void resolve(const Reference& reference);
  NodeId find(const Reference& reference, std::string& anchor);
  const Value* walk(const Value& from, std::string_view pointer) const;
  void refuse_circles();
  std::vector<NodeId> applied_in_place(const Node& node) const;

  void fail_at(NodeId id, std::string_view keyword, std::string text);

  Compiled& out_;
  std::optional<Error> error_;
  std::vector<Reference> references_;
  std::unordered_map<const Value*, NodeId> node_of_;
  std::unordered_map<std::string, std::uint32_t> resource_of_;  // by URI
  std::uint64_t pattern_budget_ = 50'000;                       // of all patterns together
};

/// Reads a keyword into its node; false if there is none of this name.
[[nodiscard]] bool read_keyword(Compiler& compiler, const Compiler::Keyword& keyword);

}  // namespace holdfast::schema
