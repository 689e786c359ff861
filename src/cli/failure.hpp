#pragma once

#include <string>
#include <string_view>

#include "cli/context.hpp"
#include "wire/body.hpp"

namespace holdfast::cli {

/// Why a command could not be carried out, when it is not an answer of the engine.
struct Failure {
  int exit_code;
  Problem problem;
};

template <typename T>
using Parsed = tl::expected<T, Failure>;

/// The command line makes no sense. `detail` names what is wrong and gives a valid example.
[[nodiscard]] Failure usage_failure(const std::string& detail);

/// The store could not be opened or read.
[[nodiscard]] Failure store_failure(const Error& error);

/// A refusal seen before the store was asked, so that no token was used up.
[[nodiscard]] Failure refusal(Rejection rejection, const std::string& detail,
                              std::string_view field = {});

/// The same, of a request that is not valid.
[[nodiscard]] Failure refusal(Reason reason);

/// There is no such thing to look at.
[[nodiscard]] Failure nothing_there(std::string title, const std::string& detail);

/// Says so, on the error stream or as JSON, and returns the exit code. Nothing was done, and a
/// token that was given is unused.
int report(Context& context, const Failure& failure);

/// The one line of `--json` around a body that is already JSON. Without a token, as for reads,
/// `token` is null.
struct Envelope {
  std::string_view body;
  int status = 200;
  bool replayed = false;
  std::optional<std::string_view> token{};
};
void print_json(Output& out, const Envelope& envelope);

}  // namespace holdfast::cli
