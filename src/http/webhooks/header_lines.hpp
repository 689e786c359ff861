#pragma once

#include <string>
#include <string_view>

#include "signatures/verify.hpp"

/// Headers that are found by their names, whatever those are: webhooks are signed in headers of
/// their senders' choice.
namespace holdfast::http {

/// Finds a header in the lines of a request, which end in CR LF and are not folded; the first of
/// them is no header. Names are compared whatever their case.
[[nodiscard]] signatures::Header find_header(std::string_view lines, std::string_view name);

/// The headers of a webhook that are kept, a canonical JSON object of texts: what says of the body
/// how it is to be read, and who sent it. Never a signature, a credential or a cookie.
[[nodiscard]] std::string kept_headers(std::string_view lines);

}  // namespace holdfast::http
