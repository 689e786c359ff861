// The members of a leaf, as a record's layout has them.

#include <fmt/format.h>

#include <algorithm>

#include "domain/kind.hpp"
#include "evidence/leaf.hpp"
#include "evidence/leaf_layout.hpp"
#include "openapi/parts.hpp"

namespace holdfast::http::openapi {
namespace {

/// What the layout does not say.
struct MemberText {
  std::string_view name;
  std::string_view description;
};
constexpr std::array member_texts{
    MemberText{"count", "How often an answer was repeated."},
    MemberText{"detail", "What its kind says besides; of some kinds only."},
    MemberText{"digest", "Of the request: operation and parameters."},
    MemberText{"digest_on_record", "Of a conflict: of the request the token belongs to."},
    MemberText{"first_at", "When an answer was first repeated."},
    MemberText{"format", "The form of this leaf: 2 where it has a detail."},
    MemberText{"operation", "What was asked for; not there if nobody asked."},
    MemberText{"reason", "The number of what was not valid about the request."},
    MemberText{"ref", "The decision that was repeated, or conflicted with."},
    MemberText{"rejection", "Why the request was refused."},
};

constexpr bool is_leaf_member(std::string_view name) {
  for (const evidence::LeafPlace place : evidence::leaf_order) {
    if (evidence::leaf_at(place).name == name) return true;
  }
  return false;
}
static_assert(std::all_of(member_texts.begin(), member_texts.end(),
                          [](const MemberText& each) { return is_leaf_member(each.name); }));

std::string kind_names() {
  std::string names;
  for (const KindRow* each : kinds())
    names += fmt::format(R"({}"{}")", names.empty() ? "" : ",", each->name);
  return names;
}

std::string shape_of_word(std::string_view name) {
  if (name == "kind") return fmt::format(R"("enum":[{}])", kind_names());
  if (name == "decision")
    return fmt::format(R"("enum":["{}"])", fmt::join(evidence::decisions, R"(",")"));
  return R"("type":"string")";
}

std::string shape_of(const layout::Leaf& leaf) {
  const auto reference = [](std::string_view schema) {
    return fmt::format(R"("$ref":"#/components/schemas/{}")", schema);
  };
  switch (leaf.form) {
    case layout::Form::number:
      return R"("type":"integer","minimum":1)";
    case layout::Form::quantity:
      return reference("Quantity");
    case layout::Form::sequence:
      return reference("Sequence");
    case layout::Form::word:
      return shape_of_word(leaf.name);
    case layout::Form::instant:
      return reference("Instant");
    case layout::Form::hold:
      return reference("HoldId");
    case layout::Form::name:
      return reference("EvidenceName");
    case layout::Form::digest:
    case layout::Form::hash:
      return reference("Sha256");
    case layout::Form::json:
      return R"("type":"object")";
  }
  return {};
}

}  // namespace

std::string leaf_members() {
  std::string members;
  for (const evidence::LeafPlace place : evidence::leaf_order) {
    const layout::Leaf leaf = evidence::leaf_at(place);
    members +=
        fmt::format(R"({}"{}":{{{})", members.empty() ? "{" : ",", leaf.name, shape_of(leaf));
    for (const MemberText& each : member_texts) {
      if (each.name == leaf.name)
        members += fmt::format(R"(,"description":"{}")", each.description);
    }
    members += '}';
  }
  return members + "}";
}

}  // namespace holdfast::http::openapi
