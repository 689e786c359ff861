#pragma once

#include <span>
#include <string_view>

namespace simdjson::dom {
class element;
}

namespace holdfast {

class JsonWriter;

/// One member, of objects of some type. `members.hpp` makes them.
struct ObjectMember {
  std::string_view name;
  std::string_view schema;  ///< of its value: JSON
  bool required = true;
  bool (*is_set)(const void* object) = nullptr;
  void (*write)(const void* object, JsonWriter& json) = nullptr;
  bool (*read)(const simdjson::dom::element& json, void* object) = nullptr;
};

/// The members of an object, in the order of RFC 8785. A type that has them says so: `static const
/// ObjectMembers members`.
using ObjectMembers = std::span<const ObjectMember>;

[[nodiscard]] constexpr bool in_order(ObjectMembers members) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i - 1].name >= members[i].name) return false;
  }
  return true;
}

}  // namespace holdfast
