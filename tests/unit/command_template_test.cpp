// Requests made of templates: what is a template, what values become in each place, and that no
// value gets out of its place.

#include "modules/commands/template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/canonical.hpp"

namespace holdfast::commands {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Headers = std::vector<std::pair<std::string, std::string>>;

RequestTemplate request_to(const std::string& url, const std::string& body = {},
                           const Headers& headers = {}) {
  return {.method = "POST", .url = url, .headers = headers, .body = body};
}

Envelope envelope_with(const std::string& args, const std::string& target = {}) {
  return {.actor = "web_shop",
          .effective_actor = "guest",
          .entity = "payment",
          .action = "charge",
          .target = target,
          .args = canonicalize(args).value(),
          .correlation_id = "c-1"};
}

std::optional<std::string> secret(std::string_view name) {
  if (name == "API") return "s3cr3t/+ \"q\"";
  if (name == "BROKEN") return "two\nlines";
  if (name == "BYTES") return "\xff";
  return std::nullopt;
}

tl::expected<RenderedRequest, std::string> rendered(const RequestTemplate& request,
                                                    const Envelope& envelope,
                                                    const TemplateLimits& limits = {}) {
  const auto parsed = ParsedRequest::parse(request);
  if (!parsed) return tl::unexpected(parsed.error().member + " " + parsed.error().text);
  return (*parsed)->render(
      {.envelope = envelope, .tenant = "acme", .key = "k 1", .command_id = "c2a"}, secret, limits);
}

std::string url_of(const std::string& url, const std::string& args,
                   const std::string& target = {}) {
  const auto made = rendered(request_to(url), envelope_with(args, target));
  return made ? made->url : made.error();
}

std::string body_of(const std::string& body, const std::string& args) {
  const auto made = rendered(request_to("http://h/", body), envelope_with(args));
  return made ? made->body : made.error();
}

std::string header_of(const std::string& value, const std::string& args) {
  const auto made =
      rendered(request_to("http://h/", {}, {{"X-Value", value}}), envelope_with(args));
  return made ? made->headers.at(0).second : made.error();
}

std::string refusal(const RequestTemplate& request) {
  const auto parsed = ParsedRequest::parse(request);
  return parsed ? "accepted" : parsed.error().member + " " + parsed.error().text;
}

TEST(Templates, every_placeholder_has_its_value) {
  EXPECT_EQ(
      url_of("https://pay.example:8443/v1/{tenant}/{actor_id}/{effective_actor_id}?k={key}&c="
             "{command_id}&t={target.order}&a={args.card.id}&r={correlation_id}&s={secret.API}",
             R"({"card":{"id":"a b"}})", R"({"order":7})"),
      "https://pay.example:8443/v1/acme/web_shop/guest?k=k%201&c=c2a&t=7&a=a%20b&r=c-1&s="
      "s3cr3t%2F%2B%20%22q%22");
  EXPECT_EQ(url_of("http://[::1]:80/{target}", "{}", "\"order 1\""), "http://[::1]:80/order%201");
}

TEST(Templates, a_value_in_a_url_stays_one_segment_or_one_parameter) {
  const auto path = [](const std::string& value) {
    return url_of("http://h/a/{args.x}/b", R"({"x":)" + value + "}");
  };
  EXPECT_EQ(path(R"("../../admin?x=1#y")"), "http://h/a/..%2F..%2Fadmin%3Fx%3D1%23y/b");
  EXPECT_EQ(path(R"("@evil.example:80")"), "http://h/a/%40evil.example%3A80/b");
  EXPECT_EQ(path(R"("a\r\nHost: evil")"), "http://h/a/a%0D%0AHost%3A%20evil/b");
  EXPECT_EQ(path(R"("%2e%2e")"), "http://h/a/%252e%252e/b");
  EXPECT_EQ(path(R"("ü\\")"), "http://h/a/%C3%BC%5C/b");
  EXPECT_EQ(path("true"), "http://h/a/true/b");
  EXPECT_EQ(path("1e21"), "http://h/a/1e%2B21/b");
  EXPECT_EQ(url_of("http://h/?a={args.x}&b=1", R"({"x":"1&b=2"})"), "http://h/?a=1%26b%3D2&b=1");
  EXPECT_EQ(url_of("http://h/?a={args.x}", R"({"x":""})"), "http://h/?a=");
}

TEST(Templates, a_value_in_a_url_is_refused_where_it_would_be_another_url) {
  const std::string dots = "url: has a path with . or .. in it";
  EXPECT_EQ(url_of("http://h/a/{args.x}", R"({"x":".."})"), dots);
  EXPECT_EQ(url_of("http://h/a/.{args.x}", R"({"x":"."})"), dots);
  EXPECT_EQ(url_of("http://h/a/{args.x}{args.x}/b", R"({"x":"."})"), dots);
  EXPECT_EQ(url_of("http://h/{args.x}", R"({"x":""})"),
            "url: args.x is empty, which would be another path");
  EXPECT_EQ(url_of("http://h/{args.x}", R"({"x":"a\u0000"})"),
            "url: args.x has a NUL, which no URL may have");
  EXPECT_EQ(url_of("http://h/{args.x}", R"({"x":{"y":1}})"),
            "url: args.x is an object or an array, which have no text");
  EXPECT_EQ(url_of("http://h/{args.x}", R"({"x":null})"), "url: args.x is null, which has no text");
}

TEST(Templates, what_is_missing_is_named) {
  EXPECT_EQ(url_of("http://h/{args.a.b}", R"({"a":{"c":1}})"), "url: args.a.b is missing");
  EXPECT_EQ(url_of("http://h/{args.a.b}", R"({"a":"b"})"), "url: args.a.b is missing");
  EXPECT_EQ(url_of("http://h/{target}", "{}"), "url: target is missing");
  EXPECT_EQ(body_of(R"({"a":{target.x}})", "{}"), "body: target.x is missing");
  EXPECT_EQ(header_of("{args.a}", "{}"), "header X-Value: args.a is missing");
  EXPECT_EQ(header_of("Bearer {secret.NONE}", "{}"),
            "header X-Value: secret.NONE is not in the file of secrets");
}

TEST(Templates, a_header_has_no_control_characters) {
  EXPECT_EQ(header_of("Bearer {secret.API}", "{}"), "Bearer s3cr3t/+ \"q\"");
  for (const char* value :
       {R"("a\r\nX-Evil: 1")", R"("a\n")", R"("a\r")", R"("\u0000")", R"("\t")", R"("\u007f")"}) {
    EXPECT_EQ(header_of("{args.x}", std::string(R"({"x":)") + value + "}"),
              "header X-Value: args.x has a control character, which no header may have");
  }
  EXPECT_EQ(header_of("{secret.BROKEN}", "{}"),
            "header X-Value: secret.BROKEN has a control character, which no header may have");
}

TEST(Templates, a_body_is_json_whatever_the_values_are) {
  const std::string evil = R"({"x":"\",\"admin\":true,\"y\":\"\\"})";
  EXPECT_EQ(body_of(R"({"note": "for {args.x}!"})", evil),
            R"({"note": "for \",\"admin\":true,\"y\":\"\\!"})");
  EXPECT_EQ(body_of(R"({"x":{args.x}})", evil), R"({"x":"\",\"admin\":true,\"y\":\"\\"})");
  EXPECT_EQ(body_of(R"([{args.n},{args.o},{args.a},{args.t},{args.z},"{args.n}"])",
                    R"({"n":1.50,"o":{"b":1,"a":2},"a":[1],"t":true,"z":null})"),
            R"([1.5,{"a":2,"b":1},[1],true,null,"1.5"])");
  EXPECT_EQ(body_of("{args}", R"({"b":1,"a":2})"), R"({"a":2,"b":1})");
  EXPECT_EQ(body_of(R"({"k":"{key}","s":{secret.API}})", "{}"),
            R"({"k":"k 1","s":"s3cr3t/+ \"q\""})");
  EXPECT_EQ(body_of(R"({"s":{secret.BYTES}})", "{}"), "body: secret.BYTES is not UTF-8");
  EXPECT_EQ(body_of(R"({"s":"{args.o}"})", R"({"o":{}})"),
            "body: args.o is an object or an array, which have no text");
  EXPECT_EQ(body_of(R"({"s":"\u007bkey}"})", "{}"), R"({"s":"\u007bkey}"})");
}

TEST(Templates, a_body_that_is_left_out_is_the_arguments) {
  const auto made = rendered(request_to("http://h/"), envelope_with(R"({"b":1,"a":2})"));
  EXPECT_EQ(made->body, R"({"a":2,"b":1})");
  EXPECT_THAT(made->headers, ElementsAre(Pair("Content-Type", "application/json")));
  RequestTemplate question = request_to("http://h/");
  question.method = "GET";
  const auto asked = rendered(question, envelope_with("{}"));
  EXPECT_EQ(asked->body, "");
  EXPECT_TRUE(asked->headers.empty());
}

TEST(Templates, a_content_type_of_ones_own_is_kept) {
  const auto made = rendered(
      request_to("http://h/", "{}", {{"content-type", "application/x+json"}}), envelope_with("{}"));
  EXPECT_THAT(made->headers, ElementsAre(Pair("content-type", "application/x+json")));
}

TEST(Templates, the_key_header_carries_the_key) {
  const auto parsed = ParsedRequest::parse(request_to("http://h/"), "Idempotency-Key");
  const Envelope envelope = envelope_with("{}");
  const auto made = (*parsed)->render(
      {.envelope = envelope, .tenant = "acme", .key = "k1", .command_id = "c2a"}, secret);
  EXPECT_EQ(made->headers.front(), (std::pair<std::string, std::string>("Idempotency-Key", "k1")));
  EXPECT_EQ(ParsedRequest::parse(request_to("http://h/", {}, {{"idempotency-key", "x"}}),
                                 "Idempotency-Key")
                .error()
                .member,
            "headers.idempotency-key");
}

TEST(Templates, what_is_rendered_is_bounded) {
  const TemplateLimits limits{.url_bytes_max = 30, .header_bytes_max = 10, .body_bytes_max = 20};
  const auto with = [&](const RequestTemplate& request, std::size_t length) {
    const auto made =
        rendered(request, envelope_with(R"({"x":")" + std::string(length, 'a') + "\"}"), limits);
    return made ? "made" : made.error();
  };
  EXPECT_EQ(with(request_to("http://h/?x={args.x}", "1"), 18), "made");
  EXPECT_EQ(with(request_to("http://h/?x={args.x}", "1"), 19), "url: is longer than 30 bytes");
  EXPECT_EQ(with(request_to("http://h/", "1", {{"X-Y", "{args.x}"}}), 10), "made");
  EXPECT_EQ(with(request_to("http://h/", "1", {{"X-Y", "{args.x}"}}), 11),
            "header X-Y: is longer than 10 bytes");
  EXPECT_EQ(with(request_to("http://h/", "{args.x}"), 18), "made");
  EXPECT_EQ(with(request_to("http://h/", "{args.x}"), 19), "body: is longer than 20 bytes");
  EXPECT_EQ(with(request_to("http://h/"), 12), "made");
  EXPECT_EQ(with(request_to("http://h/"), 13), "body: is longer than 20 bytes");
}

TEST(Templates, hosts_are_literal) {
  const std::string host =
      "url has a placeholder in its host; write the host itself, and placeholders after it";
  for (const char* url : {"http://{args.host}/", "http://pay.{tenant}.example/", "http://h{args.x}",
                          "http://h:{args.port}/", "https://h{args.x}.example/"})
    EXPECT_EQ(refusal(request_to(url)), host) << url;
  const std::string form = "url must be http:// or https://, a host, and a path";
  for (const char* url :
       {"{args.url}", "ftp://h/", "//h/", "h/path", "http://", "http:///p", "http://h:0/",
        "http://h:99999/", "http://h h/", "http://[::1/", "file:///x", "http://[h]/", "HTTP://h/"})
    EXPECT_EQ(refusal(request_to(url)), form) << url;
  EXPECT_EQ(refusal(request_to("http://user:word@h/")),
            "url has a password in it; send it in a header, as {secret.NAME}");
}

TEST(Templates, urls_are_checked_when_they_are_read) {
  EXPECT_THAT(refusal(request_to("http://h/a b")), HasSubstr("a character that no URL may have"));
  EXPECT_THAT(refusal(request_to("http://h/\n")), HasSubstr("a character that no URL may have"));
  EXPECT_THAT(refusal(request_to("http://h/ü")), HasSubstr("a character that no URL may have"));
  EXPECT_THAT(refusal(request_to("http://h/a}")), HasSubstr("a character that no URL may have"));
  EXPECT_THAT(refusal(request_to("http://h/#a")), HasSubstr("has a #"));
  EXPECT_THAT(refusal(request_to("http://h/%4")), HasSubstr("write %25"));
  EXPECT_THAT(refusal(request_to("http://h/a/../b")), HasSubstr(". or .."));
  EXPECT_THAT(refusal(request_to("http://h/a/%2e%2E/b")), HasSubstr(". or .."));
  EXPECT_THAT(refusal(request_to("http://h/{args}")), HasSubstr("name one of its members"));
  EXPECT_THAT(refusal(request_to("http://h/{args.x")), HasSubstr("never closed"));
}

TEST(Templates, placeholders_are_those_there_are) {
  for (const char* text : {"", "args.", "args..a", "arg.x", "key.x", "secret", "secret.A.B",
                           "tenant_id", "args.a b", "target.", "now", "{key"})
    EXPECT_THAT(refusal(request_to(std::string("http://h/{") + text + "}")),
                HasSubstr("stands for nothing"))
        << text;
}

TEST(Templates, headers_are_checked_when_they_are_read) {
  for (const char* name : {"", "A B", "A:", "Host", "content-length", "Transfer-Encoding",
                           "Connection", "X\r\nY", "Ü"})
    EXPECT_THAT(refusal(request_to("http://h/", {}, {{name, "x"}})), HasSubstr("cannot be set"))
        << name;
  const auto value = [](const char* text) {
    return refusal(request_to("http://h/", {}, {{"X-Value", text}}));
  };
  EXPECT_EQ(value("a\r\nX-Evil: 1"), "headers.X-Value has a control character; leave it out");
  EXPECT_EQ(value("a}"), "headers.X-Value has a } without a { before it");
  EXPECT_EQ(value("ü"), "headers.X-Value has a character beyond ASCII; leave it out");
  EXPECT_EQ(refusal(request_to("http://h/", {}, {{"X-A", "1"}, {"x-a", "2"}})),
            "headers.x-a is set twice; keep one of the two");
}

TEST(Templates, bodies_are_checked_when_they_are_read) {
  const auto body = [](const char* text) { return refusal(request_to("http://h/", text)); };
  for (const char* text :
       {"{", R"({"a":})", R"({"a":1,"a":2})", R"({"a":"{key})", R"({"a":1}{key})", R"("\{key}")",
        R"("\u{args.x}0041")", R"({key}{key})", "a=b"})
    EXPECT_THAT(body(text), HasSubstr("body is not JSON")) << text;
  EXPECT_EQ(body(R"({"{args.k}": 1})"),
            "body has a placeholder in a member's name; write the name itself");
  EXPECT_THAT(body(R"({"a":{amount}})"), HasSubstr("stands for nothing"));
  EXPECT_THAT(body(R"({"a":"{amount}"})"), HasSubstr("or \\u007b for a brace"));
  EXPECT_EQ(body(R"({ "a" : {} , "b":{"c":[]} })"), "accepted");
}

TEST(Templates, methods_are_those_of_http) {
  RequestTemplate request = request_to("http://h/", "{}");
  request.method = "post";
  EXPECT_THAT(refusal(request), HasSubstr("method must be one of"));
  request.method = "DELETE";
  EXPECT_THAT(refusal(request), HasSubstr("body cannot be sent with DELETE"));
}

TEST(Templates, secrets_are_listed_once) {
  const auto parsed = ParsedRequest::parse(
      request_to("http://h/?a={secret.A}", R"({"b":"{secret.B}"})", {{"X-A", "{secret.A}"}}));
  EXPECT_THAT((*parsed)->secrets(), ElementsAre("A", "B"));
}

}  // namespace
}  // namespace holdfast::commands
