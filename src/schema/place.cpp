#include "schema/place.hpp"

#include <vector>

#include "base/json_members.hpp"

namespace holdfast::schema {

std::string pointer_to(const Place& place) {
  std::vector<const Place*> steps;
  for (const Place* at = &place; at->up != nullptr; at = at->up) steps.push_back(at);
  std::string pointer;
  for (; !steps.empty(); steps.pop_back()) {
    const Place& step = *steps.back();
    pointer += pointer_step(step.named ? std::string(step.name) : std::to_string(step.index));
  }
  return pointer;
}

}  // namespace holdfast::schema
