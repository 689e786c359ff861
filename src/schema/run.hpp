#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/node.hpp"
#include "schema/place.hpp"

namespace holdfast::schema {

/// One check of one value. Every step is paid for from the schema's `work_max`; when that is spent,
/// or schemas apply each other too deeply, everything comes to its end and the answer is no.
class Run {
 public:
  struct Wanted {
    std::vector<Misfit>* misfits = nullptr;  ///< at most `misfits_max` are put there
    bool secrets = false;
  };

  Run(const Compiled& compiled, const Wanted& wanted);

  /// Whether the value fits.
  [[nodiscard]] bool fits(const Value& value);
  /// Why there is no answer, or empty.
  [[nodiscard]] std::string_view given_up() const { return given_up_; }
  /// Pointers, in no order; some may be there twice.
  [[nodiscard]] std::vector<std::string>& secrets() { return secrets_; }

 private:
  /// Which items or members have been evaluated.
  using Marks = std::vector<bool>;

  /// A schema at a value.
  struct Frame {
    NodeId id;
    const Node& node;
    const Value& value;
    const Place& place;
    Marks* marks;  ///< null when nobody asks
  };
  using Step = bool (Run::*)(const Frame& frame);

  bool apply(NodeId id, const Value& value, const Place& place, Marks* marks);
  bool apply_keywords(const Frame& frame);
  bool apply_all(const Frame& frame);

  // What a schema says about the value itself.
  bool type_and_choice(const Frame& frame);
  bool number(const Frame& frame);
  bool string(const Frame& frame);

  // About its children.
  bool array(const Frame& frame);
  bool items(const Frame& frame);
  bool contained(const Frame& frame);
  bool unique(const Frame& frame);
  bool object(const Frame& frame);
  bool required_members(const Frame& frame);
  bool members(const Frame& frame);
  bool member(const Frame& frame, std::size_t index);
  bool unevaluated(const Frame& frame);

  // Other schemas at the same value.
  bool references(const Frame& frame);
  NodeId dynamic_target(const Node& node) const;
  bool combined(const Frame& frame);
  bool alternatives(const Frame& frame);
  bool conditional(const Frame& frame);
  std::size_t fitting(const Frame& frame, const std::vector<NodeId>& list, std::size_t enough);
  /// Without telling misfits. What was found out counts only if it fits; secrets of what does not
  /// are given to `refused`, if anybody wants them.
  bool tries(NodeId id, const Value& value, const Place& place, Marks* marks,
             std::vector<std::string>* refused = nullptr);

  // Keeping accounts.
  bool spend(std::uint64_t work);
  void give_up(std::string_view why);
  void note_secret(const Place& place);
  [[nodiscard]] bool tells() const {
    return misfits_ != nullptr && misfits_->size() < misfits_max_;
  }
  /// Whether what follows still matters to anybody.
  [[nodiscard]] bool goes_on(bool fits) const {
    return given_up_.empty() && (fits || want_secrets_ || tells());
  }

  bool misfit(const Frame& frame, std::string_view keyword, std::string_view text) {
    return misfit(frame, keyword, [&] { return std::string(text); });
  }
  template <std::invocable Text>
  bool misfit(const Frame& frame, std::string_view keyword, Text&& text) {
    if (given_up_.empty() && tells()) tell(frame, keyword, std::forward<Text>(text)());
    return false;
  }
  void tell(const Frame& frame, std::string_view keyword, std::string text);

  const Compiled& compiled_;
  std::vector<Misfit>* misfits_;
  std::size_t misfits_max_;
  bool want_secrets_;

  std::uint64_t work_;
  std::size_t depth_ = 0;
  std::string_view given_up_;
  std::vector<std::uint32_t> scope_;  // resources that were entered, the first outermost
  std::vector<std::string> secrets_;
};

}  // namespace holdfast::schema
