#include "domain/record_layout.hpp"

#include "base/member_count.hpp"

namespace holdfast::layout {
namespace {

/// `key`, `fingerprint` and `nonce_key` follow from the others, and `said` from the detail; none is
/// stored.
constexpr std::size_t derived_members = 4;
static_assert(member_count<Record>() == size - 1 + derived_members,
              "every member of a record is in the table of its layout, or derived");

constexpr bool all_named_once() {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (columns[i].name == columns[j].name) return false;
    }
  }
  return true;
}
static_assert(all_named_once());

}  // namespace
}  // namespace holdfast::layout
