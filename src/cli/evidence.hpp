#pragma once

#include <optional>
#include <string>

#include "cli/context.hpp"

namespace holdfast::cli {

struct EvidenceArguments {
  std::string action;
  std::optional<std::string> subject;     ///< the store; of verify: the file
  std::optional<std::string> out;         ///< of export
  bool tokens = false;                    ///< of export
  std::optional<std::string> public_key;  ///< of verify
  std::optional<std::string> head;        ///< of verify
  std::string key_file;
};

/// Checks a file with nothing but a public key; touches no store.
int verify_evidence(Context& context, const EvidenceArguments& arguments);

}  // namespace holdfast::cli
