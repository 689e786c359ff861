#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "support/temp_dir.hpp"

/// Runs the real program, the way a shell would.
namespace holdfast::test {

struct Ran {
  int exit_code = -1;
  std::string out;
  std::string err;
};

struct RunOptions {
  std::map<std::string, std::string> environment{};  ///< added to an otherwise empty one
  bool terminal = false;  ///< output and errors go to a terminal; both end up in `out`
  std::string out_to{};   ///< standard output goes to this file instead
  bool deaf = false;      ///< nobody reads standard output
};

[[nodiscard]] Ran run_cli(const std::string& folder, const std::vector<std::string>& arguments,
                          const RunOptions& options = {});

/// An empty folder to run commands in; the store is `holdfast.db` there.
class CliTest : public testing::Test {
 protected:
  Ran run(const std::vector<std::string>& arguments, const RunOptions& options = {}) const {
    return run_cli(folder.path(), arguments, options);
  }
  /// Runs with `--json`, expects one line and that exit code, and parses it.
  Json json(std::vector<std::string> arguments, int exit_code = 0) const;
  /// Places a hold and gives its id.
  std::string placed(const std::string& resource, const std::string& duration = "1h") const;
  [[nodiscard]] std::string store() const { return folder.file("holdfast.db"); }

  TempDir folder;
};

}  // namespace holdfast::test
