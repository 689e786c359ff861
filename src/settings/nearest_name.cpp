#include "settings/nearest_name.hpp"

#include <algorithm>
#include <cctype>

#include "base/assert.hpp"

namespace holdfast::http {
namespace {

/// Nobody means a setting by more letters than this, and the work grows with their square.
constexpr std::size_t letters_max = 128;

std::string folded(std::string_view text) {
  std::string small(text.substr(0, letters_max));
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

/// The optimal string alignment distance, three rows of its table at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::size_t distance_to_known(std::string_view wanted, std::string_view known) {
  const std::size_t whole = distance(wanted, known);
  const std::size_t dot = known.rfind('.');
  if (dot == std::string_view::npos) return whole;
  return std::min(whole, 1 + distance(wanted, known.substr(dot + 1)));
}

}  // namespace

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& known) {
  HOLDFAST_ASSERT(!known.empty());
  const std::string name = folded(wanted);
  const std::string* best = &known.front();
  std::size_t best_distance = distance_to_known(name, folded(*best));
  for (const std::string& each : known) {
    const std::size_t this_distance = distance_to_known(name, folded(each));
    if (this_distance >= best_distance) continue;
    best = &each;
    best_distance = this_distance;
  }
  return *best;
}

}  // namespace holdfast::http
