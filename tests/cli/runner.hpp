#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

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

/// A parsed JSON text. Looking for what is not there fails the test and gives a default.
class Json {
 public:
  explicit Json(const std::string& text);
  [[nodiscard]] bool has(const std::string& pointer) const;
  [[nodiscard]] std::string text(const std::string& pointer) const;
  [[nodiscard]] std::int64_t number(const std::string& pointer) const;
  [[nodiscard]] bool truth(const std::string& pointer) const;
  [[nodiscard]] bool is_null(const std::string& pointer) const;
  [[nodiscard]] std::size_t size(const std::string& pointer) const;
  /// The value as compact JSON again.
  [[nodiscard]] std::string raw(const std::string& pointer) const;
  /// The names of an object's members, in order.
  [[nodiscard]] std::vector<std::string> keys(const std::string& pointer) const;

 private:
  [[nodiscard]] simdjson::simdjson_result<simdjson::dom::element> at(
      const std::string& pointer) const;

  std::shared_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::element root_;
};

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
