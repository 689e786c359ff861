// The operator's page: one document that needs nothing but itself. It holds no data; what it shows
// it asks for, with the operator's key.

#include <openssl/evp.h>

#include <array>

#include "base/assert.hpp"
#include "domain/digest.hpp"
#include "http/handlers/console_sources.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

struct Console {
  std::string headers;
  std::string body;
};

void put(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  HOLDFAST_ASSERT(at != std::string::npos);
  page.replace(at, mark.size(), text);
}

/// As a content security policy names what it allows: `'sha256-…'`.
std::string source_of(std::string_view text) {
  const Digest digest = sha256(text);
  std::array<unsigned char, 45> base64{};  // four for every three bytes begun, and a NUL
  const int length =
      ::EVP_EncodeBlock(base64.data(), digest.bytes.data(), static_cast<int>(digest.bytes.size()));
  std::string source = "'sha256-";
  source.append(base64.begin(), base64.begin() + length);
  return source + "'";
}

/// Only this script and this style, and only this service to talk to. Nobody may put the page into
/// a frame, where its buttons could be covered by somebody else's.
std::string policy() {
  return "default-src 'none'; script-src " + source_of(console_script) + "; style-src " +
         source_of(console_style) +
         "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'";
}

Console make_console() {
  Console console{.headers = {}, .body = std::string(console_page)};
  put(console.body, "@STYLE@", console_style);
  put(console.body, "@SCRIPT@", console_script);
  add_header(console.headers, "Cache-Control", "no-cache");
  add_header(console.headers, "Content-Security-Policy", policy());
  add_header(console.headers, "X-Content-Type-Options", "nosniff");
  add_header(console.headers, "Referrer-Policy", "no-referrer");
  return console;
}

}  // namespace

void show_console(Context& context) {
  static const Console console = make_console();
  context.reply.send({.content_type = "text/html; charset=utf-8",
                      .headers = console.headers,
                      .body = console.body});
}

}  // namespace holdfast::http
