#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "tidy/source_tree.hpp"

/// The rules of the house that a compiler does not know. Each returns every breach in the tree,
/// with what to do instead.
namespace holdfast::tidy {

struct Finding {
  std::string path;
  std::size_t line;
  std::string message;
};

inline std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << "\n  " << finding.path << ':' << finding.line << ": " << finding.message;
}

using Findings = std::vector<Finding>;

/// Dependencies point one way: cli, http, client → engine → domain → base, with rooms beside the
/// engine that the command line uses without the service; see the table in rules.cpp.
[[nodiscard]] Findings layers(const SourceTree& tree);
/// What we install includes only the standard library, tl::expected and itself.
[[nodiscard]] Findings public_headers(const SourceTree& tree);
/// A database's header is included in its own store's folder alone.
[[nodiscard]] Findings driver_headers(const SourceTree& tree);
/// Clock and randomness are injected; the library does not print; assertions stay on.
[[nodiscard]] Findings banned_calls(const SourceTree& tree);
[[nodiscard]] Findings pragma_once(const SourceTree& tree);
/// Work left for later has a home.
[[nodiscard]] Findings homeless_todos(const SourceTree& tree);
[[nodiscard]] Findings white_space(const SourceTree& tree);
[[nodiscard]] Findings long_files(const SourceTree& tree);
/// A header nobody includes is dead.
[[nodiscard]] Findings dead_headers(const SourceTree& tree);

}  // namespace holdfast::tidy
