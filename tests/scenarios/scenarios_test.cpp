// Plays every scenario of this folder on every store. A new file needs no mention here.

#include <gtest/gtest.h>

#include "support/scenario.hpp"

namespace holdfast::test {
namespace {

using Case = std::tuple<std::filesystem::path, std::string>;  // file, engine

class Scenarios : public ::testing::TestWithParam<Case> {};

TEST_P(Scenarios, plays_as_written) {
  LibraryTarget target(std::get<1>(GetParam()));
  play(read_scenario(std::get<0>(GetParam())), target);
}

INSTANTIATE_TEST_SUITE_P(
    from, Scenarios,
    ::testing::Combine(::testing::ValuesIn(scenarios_in(HOLDFAST_SOURCE_DIR "/tests/scenarios")),
                       ::testing::ValuesIn(embedded_engines())),
    [](const ::testing::TestParamInfo<Case>& each) {
      return std::get<0>(each.param).stem().string() + "_on_" + std::get<1>(each.param);
    });

}  // namespace
}  // namespace holdfast::test
