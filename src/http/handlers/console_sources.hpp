#pragma once

#include <string_view>

/// What is in console/, as it was when this was built; cmake/HoldfastConsole.cmake writes it.
namespace holdfast::http {

extern const std::string_view console_page;  ///< with `@STYLE@` and `@SCRIPT@` where these go
extern const std::string_view console_style;
extern const std::string_view console_script;

}  // namespace holdfast::http
