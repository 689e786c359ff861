#pragma once

#include <string>
#include <string_view>

namespace holdfast {

/// The name of a store as it may be shown: of an address, only the scheme, the user if that is a
/// plain word, and what follows the last `@` up to the options. Whatever might be part of a
/// password is left out, also where the address is not a sound one.
[[nodiscard]] std::string shown_store(std::string_view store);

}  // namespace holdfast
