// Plays every scenario of this folder on every store, and through the service. A new file needs no
// mention here.

#include <gtest/gtest.h>

#include "support/paths.hpp"
#include "support/scenarios/http_target.hpp"
#include "support/scenarios/scenario.hpp"

namespace holdfast::test {
namespace {

using Case = std::tuple<std::filesystem::path, std::string>;  // file, where

std::vector<std::string> everywhere() {
  std::vector<std::string> names = engines();
  names.emplace_back("http");
  return names;
}

std::unique_ptr<ScenarioTarget> target_named(const std::string& where) {
  if (where == "http") return std::make_unique<HttpTarget>();
  return std::make_unique<LibraryTarget>(where);
}

class Scenarios : public ::testing::TestWithParam<Case> {};

TEST_P(Scenarios, plays_as_written) {
  const auto& [file, where] = GetParam();
  const std::unique_ptr<ScenarioTarget> target = target_named(where);
  play(read_scenario(file), *target);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& file : scenarios_in(HOLDFAST_SOURCE_DIR "/tests/scenarios")) {
    for (const std::string& where : everywhere()) {
      // Its tokens are bytes that a header cannot carry; tests/http has keys of its own.
      const bool fits = where != "http" || file.stem() != "known_keys_folded_or_cut";
      if (fits) all.emplace_back(file, where);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(from, Scenarios, ::testing::ValuesIn(cases()),
                         [](const ::testing::TestParamInfo<Case>& each) {
                           return std::get<0>(each.param).stem().string() + "_on_" +
                                  std::get<1>(each.param);
                         });

}  // namespace
}  // namespace holdfast::test
