#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "support/servers/server_process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

/// A real browser without a window, driven by the W3C's WebDriver protocol. It has a folder of its
/// own, and ends with all its processes when this does. What cannot be done throws, and says what
/// the page showed. One thread at a time.
class Browser {
 public:
  /// The Debian package that is not installed here; empty if all are.
  [[nodiscard]] static std::string missing_package();

  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open(const std::string& url) const;
  void reload() const;
  /// As if the screen were so large, which may be less than a window can be made.
  void resize(int width, int height) const;
  /// `light` or `dark`, as if the system were set so.
  void prefer_colours(const std::string& scheme) const;
  /// Writes what is shown as a PNG file.
  void screenshot(const std::string& file) const;

  // Elements are named by CSS selectors, and are waited for.
  void click(const std::string& selector) const;
  void double_click(const std::string& selector) const;
  /// Instead of what is there. Letters beyond U+FFFF cannot be typed.
  void type(const std::string& selector, const std::string& text) const;
  /// Presses a key: `\uE007` is Enter.
  void press(const std::string& selector, const std::string& key) const;

  /// The value of an expression of JavaScript, in the page.
  [[nodiscard]] Json value(const std::string& expression) const;
  [[nodiscard]] std::string text(const std::string& selector) const;
  [[nodiscard]] std::int64_t number(const std::string& expression) const;
  /// Waits until the expression is true.
  void wait_for(const std::string& expression) const;
  /// Waits until the element shows this among other text.
  void wait_for_text(const std::string& selector, std::string_view text) const;

  /// What was logged to the page's console since it was last asked for, errors and violations of
  /// the content security policy included.
  [[nodiscard]] std::vector<std::string> console() const;

 private:
  /// The answer to a command of the session.
  [[nodiscard]] Json command(const std::string& method, const std::string& what,
                             const std::string& body = {}) const;
  void tell(const std::string& what, const std::string& body = "{}") const;
  void start_driver();
  void start_session();
  /// Does something to an element; to the one that has taken its place, if it is gone by then.
  void tell_element(const std::string& selector, const std::string& what,
                    const std::string& body = "{}") const;
  [[nodiscard]] std::string element(const std::string& selector) const;
  [[nodiscard]] std::string page_text() const;

  TempDir home_;
  ServerProcess driver_;
  std::uint16_t port_ = 0;
  std::string session_;  ///< `/session/<id>`; empty: none yet
};

/// A text as JSON and JavaScript have it.
[[nodiscard]] std::string as_literal(std::string_view text);

}  // namespace holdfast::test
