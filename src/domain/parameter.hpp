#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "domain/refusal.hpp"
#include "domain/rules.hpp"
#include "holdfast/types.hpp"

/// A parameter of an operation, said once. Readers of bodies and batches, the canonical form, the
/// client's requests, the checks of bounds and the contract's schemas walk an operation's fields;
/// none of them knows the operation.
namespace holdfast {

enum class ParameterType : std::uint8_t {
  name,      ///< `std::string`: text that names something
  integer,   ///< `std::int64_t`
  duration,  ///< `Duration`; canonical in microseconds
  hold,      ///< `HoldId`
  group,     ///< `GroupId`
  part,      ///< `std::optional<std::int64_t>`: a quantity, or all there is; left out when unset
  flag,      ///< `bool`; left out when false
  items,     ///< `std::vector<GroupItem>`
  text,      ///< `std::string`: any text; left out when empty
  json,      ///< `std::string`: a value in canonical JSON; left out when empty
  names,     ///< `std::vector<std::string>`
};

/// Where a parameter stands in a request of its own. In a batch all stand together.
enum class Position : std::uint8_t { body, path };

/// What is said of a value that is out of its bounds.
struct Bounds {
  // Of a name: 1 to `name_bytes_max` bytes of UTF-8, not blank, without NUL.
  Reason blank = Reason::none;
  Reason size = Reason::none;
  Reason text = Reason::none;
  // Of the texts and numbers of items.
  Reason count = Reason::none;
  // Of a number, or of a duration, whose bounds are the store's.
  Reason range = Reason::none;
  std::int64_t least = 1;
  std::int64_t most = quantity_max;
};

struct Parameter {
  std::string_view name;
  std::string_view canonical;  ///< its name in the canonical form
  ParameterType type;
  const void* (*at)(const void* parameters);  ///< the member, of the type that `type` says
  Position position = Position::body;
  bool required = true;
  /// It says nothing of what is to be done: with another value it is the same request. It is in no
  /// canonical form.
  bool ephemeral = false;
  std::string_view within{};  ///< the object it stands in, of the body or of an item; empty: itself
  Bounds bounds{};
  std::string_view schema{};  ///< its schema in the contract, by name
  std::string_view help{};    ///< what the command line says of it

  template <typename T>
  [[nodiscard]] const T& of(const void* parameters) const {
    return *static_cast<const T*>(at(parameters));
  }
  /// Of parameters that are still being made.
  template <typename T>
  [[nodiscard]] T& in(void* parameters) const {
    return *static_cast<T*>(const_cast<void*>(at(parameters)));  // NOLINT: they are not const
  }
};

template <typename T>
inline constexpr ParameterType parameter_type_of = [] {
  if constexpr (std::is_same_v<T, std::string>) return ParameterType::name;
  if constexpr (std::is_same_v<T, std::int64_t>) return ParameterType::integer;
  if constexpr (std::is_same_v<T, Duration>) return ParameterType::duration;
  if constexpr (std::is_same_v<T, HoldId>) return ParameterType::hold;
  if constexpr (std::is_same_v<T, GroupId>) return ParameterType::group;
  if constexpr (std::is_same_v<T, std::optional<std::int64_t>>) return ParameterType::part;
  if constexpr (std::is_same_v<T, bool>) return ParameterType::flag;
  if constexpr (std::is_same_v<T, std::vector<GroupItem>>) return ParameterType::items;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return ParameterType::names;
}();

template <auto Member>
struct MemberOf;

template <typename P, typename T, T P::*Member>
struct MemberOf<Member> {
  static constexpr ParameterType type = parameter_type_of<T>;
  static const void* at(const void* parameters) {
    return &(static_cast<const P*>(parameters)->*Member);
  }
};

struct ParameterWords {
  std::string_view name;
  std::string_view canonical{};         ///< if it is not the name
  std::optional<ParameterType> type{};  ///< if the member's own type does not say
  Position position = Position::body;
  bool required = true;
  bool ephemeral = false;
  std::string_view within{};
  Bounds bounds{};
  std::string_view schema{};
  std::string_view help{};
};

/// `parameter<&Placing::resource>({.name = "resource", …})`
template <auto Member>
[[nodiscard]] constexpr Parameter parameter(const ParameterWords& words) {
  return {.name = words.name,
          .canonical = words.canonical.empty() ? words.name : words.canonical,
          .type = words.type.value_or(MemberOf<Member>::type),
          .at = MemberOf<Member>::at,
          .position = words.position,
          .required = words.required,
          .ephemeral = words.ephemeral,
          .within = words.within,
          .bounds = words.bounds,
          .schema = words.schema,
          .help = words.help};
}

/// Whether a field says nothing, and so is left out wherever parameters are written.
[[nodiscard]] bool is_left_out(const Parameter& field, const void* parameters);

/// The first field, in their order, that is out of its bounds at that instant.
[[nodiscard]] Refused check_bounds(std::span<const Parameter> fields, const void* parameters,
                                   const Rules& rules, Instant now);

/// Whether JSON can carry the parameters: names are text, numbers are exact. What it cannot carry
/// is out of bounds everywhere.
[[nodiscard]] Reason not_for_json(std::span<const Parameter> fields, const void* parameters);

}  // namespace holdfast
