#include "base/shown_store.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast {
namespace {

bool is_plain(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char each) {
    return std::isalnum(each) != 0 || each == '_' || each == '-' || each == '.';
  });
}

}  // namespace

std::string shown_store(std::string_view store) {
  const std::size_t colon = store.find(":/");
  const std::size_t secret = store.find("password");
  if (colon == std::string_view::npos || colon == 0 || !is_plain(store.substr(0, colon))) {
    // A file; or an address without its slashes, or settings in the form of a list: no command
    // takes either.
    const std::size_t word = store.find(':');
    const std::size_t at = store.rfind('@');
    if (word != 0 && word != store.npos && at != store.npos && at > word &&
        is_plain(store.substr(0, word)) && store.find('/') > word)
      return std::string(store.substr(0, word)) + ":…" + std::string(store.substr(at));
    const bool settings = secret != std::string_view::npos && store.find('=') != store.npos;
    return std::string(settings ? store.substr(0, secret) : store) + (settings ? "…" : "");
  }
  std::string_view rest = store.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
  std::string shown = std::string(store.substr(0, colon)) + "://";
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = rest.substr(0, rest.find_first_of(":@"));
    if (is_plain(user)) shown += std::string(user) + "@";
    rest.remove_prefix(at + 1);
  } else if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos &&
             rest.find('/') == std::string_view::npos) {
    rest = rest.substr(0, rest.find(':'));  // a port, or a password that lost its host
  }
  return shown + std::string(rest.substr(0, rest.find('?')));
}

}  // namespace holdfast
