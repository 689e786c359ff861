#pragma once

#include "domain/row_json.hpp"

/// The same under the names that commands have for it.
namespace holdfast::commands {

using holdfast::canonical_text;
using holdfast::instant_text;
using holdfast::ObjectReader;
using holdfast::optional_json;
using holdfast::optional_text;
using holdfast::signed_of;

}  // namespace holdfast::commands
