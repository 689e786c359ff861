#include "support/scenarios/scenario.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "support/scenarios/scenario_player.hpp"

namespace holdfast::test {

Scenario read_scenario(const std::filesystem::path& file) {
  Scenario scenario{.name = file.filename(), .lines = {}};
  std::ifstream in(file);
  EXPECT_TRUE(in) << "cannot read " << file;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    const std::size_t from = text.find_first_not_of(' ');
    if (from == std::string::npos || text[from] == '#') continue;
    scenario.lines.push_back({number, text.substr(from)});
  }
  return scenario;
}

std::vector<std::filesystem::path> scenarios_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".scenario") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void play(const Scenario& scenario, ScenarioTarget& target) {
  ASSERT_FALSE(scenario.lines.empty()) << scenario.name;
  ScenarioPlayer player(target);
  for (const Scenario::Line& line : scenario.lines) {
    const ::testing::ScopedTrace trace(scenario.name.c_str(), static_cast<int>(line.number),
                                       "line: " + line.text);
    try {
      player.play(parse_step(line.text));
    } catch (const std::exception& problem) {
      FAIL() << "this line makes no sense: " << problem.what();
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_THAT(target.violations(), ::testing::IsEmpty());
}

}  // namespace holdfast::test
