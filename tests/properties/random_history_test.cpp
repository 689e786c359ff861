// Random histories on every store, against an independent model of semantics.md.
//
//   HOLDFAST_PROPERTY_RUNS=100000 HOLDFAST_PROPERTY_SEED=7 properties_tests
//
// plays so many histories, counting seeds from that one. A failure names its seed, and the fewest
// deeds that still show it.

#include "properties/random_history.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/stores/every_store.hpp"

namespace holdfast::test {
namespace {

std::uint64_t from_environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class RandomHistories : public ::testing::TestWithParam<std::string> {};
HOLDFAST_ON_EVERY_STORE(RandomHistories);

TEST_P(RandomHistories, go_as_the_model_says) {
  // Files sync to a disk; each history on a server begins with a database of its own.
  const std::uint64_t usual = GetParam() == "memory" ? 2000 : is_embedded(GetParam()) ? 250 : 30;
  const std::uint64_t runs = from_environment("HOLDFAST_PROPERTY_RUNS", usual);
  const std::uint64_t seed_of_first = from_environment("HOLDFAST_PROPERTY_SEED", 1);
  for (std::uint64_t seed = seed_of_first; seed < seed_of_first + runs; ++seed) {
    const Rules rules = random_rules(seed);
    const std::vector<Deed> deeds = random_deeds(seed);
    if (!first_difference(GetParam(), rules, deeds)) continue;
    const std::vector<Deed> fewest = cut_down(GetParam(), rules, deeds);
    FAIL() << "seed " << seed << " on " << GetParam() << '\n'
           << first_difference(GetParam(), rules, fewest).value_or("") << '\n'
           << in_words(fewest);
  }
}

}  // namespace
}  // namespace holdfast::test
