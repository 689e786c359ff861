#include "schema/run.hpp"

#include <algorithm>
#include <array>

#include "base/json_members.hpp"

namespace holdfast::schema {
namespace {

/// Schemas that are applied inside each other; far more than any value's depth needs.
constexpr std::size_t nesting_max = 512;

}  // namespace

Run::Run(const Compiled& compiled, const Wanted& wanted)
    : compiled_(compiled),
      misfits_(wanted.misfits),
      misfits_max_(std::max<std::size_t>(compiled.options.misfits_max, 1)),
      want_secrets_(wanted.secrets),
      work_(compiled.options.work_max) {}

bool Run::fits(const Value& value) {
  const Place root;
  const bool fit = apply(0, value, root, nullptr);
  return fit && given_up_.empty();
}

bool Run::apply(NodeId id, const Value& value, const Place& place, Marks* marks) {
  if (!spend(1)) return false;
  const Frame frame{id, compiled_.nodes[id], value, place, marks};
  if (frame.node.always) return *frame.node.always || misfit(frame, "", "is not allowed");
  if (depth_ == nesting_max) {
    give_up("cannot be checked: schemas apply each other more than 512 deep");
    return false;
  }
  ++depth_;
  const bool entered = scope_.empty() || scope_.back() != frame.node.resource;
  if (entered) scope_.push_back(frame.node.resource);
  if (frame.node.secret) note_secret(place);
  const bool fit = apply_keywords(frame);
  if (entered) scope_.pop_back();
  --depth_;
  return fit;
}

/// A schema that says something about what is not evaluated looks only at what it found itself.
bool Run::apply_keywords(const Frame& frame) {
  const NodeId rest = frame.value.kind == Kind::object  ? frame.node.unevaluated_members
                      : frame.value.kind == Kind::array ? frame.node.unevaluated_items
                                                        : no_node;
  if (rest == no_node) return apply_all(frame);
  if (!spend(frame.value.children.size() / 8)) return false;
  Marks own(frame.value.children.size());
  const Frame inner{frame.id, frame.node, frame.value, frame.place, &own};
  bool fit = apply_all(inner);
  if (goes_on(fit)) fit = unevaluated(inner) && fit;
  if (frame.marks != nullptr) frame.marks->assign(own.size(), true);
  return fit;
}

bool Run::apply_all(const Frame& frame) {
  constexpr std::array<Step, 8> steps{&Run::type_and_choice, &Run::number,     &Run::string,
                                      &Run::array,           &Run::object,     &Run::references,
                                      &Run::combined,        &Run::conditional};
  bool fit = true;
  for (const Step step : steps) {
    if (!goes_on(fit)) return false;
    fit = (this->*step)(frame) && fit;
  }
  return fit;
}

bool Run::spend(std::uint64_t work) {
  if (work_ > work) {
    work_ -= work;
    return given_up_.empty();
  }
  give_up("takes too much work to check");
  return false;
}

void Run::give_up(std::string_view why) {
  if (given_up_.empty()) given_up_ = why;
}

void Run::note_secret(const Place& place) {
  if (!want_secrets_) return;
  std::string pointer = pointer_to(place);
  if (spend(pointer.size())) secrets_.push_back(std::move(pointer));
}

void Run::tell(const Frame& frame, std::string_view keyword, std::string text) {
  std::string schema = pointer_of(compiled_, frame.id);
  if (!keyword.empty()) schema += pointer_step(keyword);
  misfits_->push_back({pointer_to(frame.place), std::move(schema), std::move(text)});
}

}  // namespace holdfast::schema
