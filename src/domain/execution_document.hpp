#pragma once

#include <string>
#include <string_view>

namespace holdfast {

/// What an answer's document says of a command that was refused, besides its reason: a JSON object
/// with the command's id and what is missing or wrong. A refusal that is recorded has it within the
/// detail of its record; any other has nothing else. Empty if it says nothing.
[[nodiscard]] std::string execution_in(std::string_view document);

}  // namespace holdfast
