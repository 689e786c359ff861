#pragma once

#include <span>
#include <string>
#include <vector>

#include "domain/rows.hpp"

/// What outcomes about groups say, as canonical JSON: the detail of their records, and so the
/// answers.
namespace holdfast {

/// `{"holds":[…],"id":"g…"}`: each hold as it stands.
[[nodiscard]] std::string group_document(GroupId group, std::span<const HoldRow> holds);

/// A resource of which a group asked more than was free.
struct Shortage {
  std::string resource;
  std::int64_t asked = 0;
  std::int64_t free = 0;
};

/// `{"short":[{"asked":…,"free":…,"resource":…},…]}`
[[nodiscard]] std::string shortage_document(const std::vector<Shortage>& shortages);
/// What such a document says, and the array in it; nothing if it is another one.
[[nodiscard]] std::vector<Shortage> shortages_of(std::string_view document);
[[nodiscard]] std::string_view shortages_in(std::string_view document);

}  // namespace holdfast
