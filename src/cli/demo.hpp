#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cli/context.hpp"
#include "holdfast/holdfast.hpp"

/// The demonstration: two acts on one store with a clock of its own, then the proof.
namespace holdfast::cli {

/// A folder that is gone, with all that is in it, when this is.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Whether somebody has asked us to stop (Ctrl-C), so that the temporary files are still removed.
[[nodiscard]] bool interrupted();
void notice_interrupts();

/// Where the play is performed: a store, a clock that moves when told to, and repeatable chance.
struct Stage {
  Context& context;
  std::string store;
  std::shared_ptr<SettableClock> clock;
  std::uint64_t seed;

  /// Prints a line, unless only JSON is wanted.
  void say(const std::string& line = {}) const;
  /// The simulated time of day.
  [[nodiscard]] std::string time() const;
  [[nodiscard]] Result<Holdfast> open() const;
};

/// Act one: Grace's walkthrough. False if any answer was not the expected one.
[[nodiscard]] bool play_hotel(const Stage& stage, Holdfast& holdfast);

}  // namespace holdfast::cli
