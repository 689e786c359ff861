#include "store/shared/pages.hpp"

#include "domain/answer.hpp"
#include "store/cursor.hpp"

namespace holdfast::shared {

HoldDetails details_of(const HoldFound& found, Instant now) {
  const HoldRow row = found.row();
  return {hold_of(row), found.token, row.lapsed(now)};
}

Page<HoldDetails> page_of(const HoldsRead& found, std::size_t limit) {
  Page<HoldDetails> page;
  for (const HoldFound& each : found.holds) {
    if (page.items.size() == limit) {
      page.next = cursor_at(List::holds, page.items.back().hold.id.ordinal);
      break;
    }
    page.items.push_back(details_of(each, found.now));
  }
  return page;
}

Page<Resource> page_of(std::vector<ResourceRead> found, std::size_t limit) {
  Page<Resource> page;
  std::uint64_t last = 0;
  for (ResourceRead& each : found) {
    if (page.items.size() == limit) {
      page.next = cursor_at(List::resources, last);
      break;
    }
    last = each.id;
    page.items.push_back(std::move(each.resource));
  }
  return page;
}

}  // namespace holdfast::shared
