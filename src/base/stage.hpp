#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace holdfast {

/// Where a batch is on the main path. Named by errors, crash tests and measurements alike.
enum class Stage : std::uint8_t {
  load,    ///< rows are being read
  decide,  ///< nothing is written yet
  write,   ///< records are being handed to the store
  sync,    ///< all records are written, not all are durable
  answer,  ///< durable; nobody has been told
  done,    ///< everybody has been told
};

[[nodiscard]] constexpr std::string_view name(Stage stage) {
  switch (stage) {
    case Stage::load:
      return "load";
    case Stage::decide:
      return "decide";
    case Stage::write:
      return "write";
    case Stage::sync:
      return "sync";
    case Stage::answer:
      return "answer";
    case Stage::done:
      return "done";
  }
  return "";
}

/// Told of each stage as it is entered, on the thread that enters it. Must not throw.
using StageObserver = std::function<void(Stage)>;

}  // namespace holdfast
