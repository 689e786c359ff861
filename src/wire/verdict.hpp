#pragma once

#include "base/json_writer.hpp"
#include "domain/verdict.hpp"

namespace holdfast {

/// The verdict as JSON, the same wherever it is shown.
void write_verdict(JsonWriter& json, const Verdict& verdict);

}  // namespace holdfast
