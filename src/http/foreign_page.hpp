#pragma once

#include <optional>
#include <string>

#include "http/transport/message.hpp"
#include "settings/settings.hpp"

namespace holdfast::http {

/// Without keys whoever is on this machine is let in, and so is its browser, whatever page it
/// shows. What keeps such pages out: a browser says which page asks (`Origin`), and by which name
/// it found us (`Host`), which is no name of this machine when somebody's name server sent it here.
/// The reason to refuse the request; nothing when it does not come from a page of somebody else's.
[[nodiscard]] std::optional<std::string> foreign_page(const Request& request,
                                                      const Settings& settings);

/// Whether the body may be JSON by what it says of itself. `curl -d` says that it is a form; plain
/// text and uploads are what pages send that were not allowed to send JSON.
[[nodiscard]] bool may_be_json(std::string_view content_type);

}  // namespace holdfast::http
