#include "support/http/checked_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/json_writer.hpp"
#include "http/transport/target.hpp"

namespace holdfast::test {
namespace {

using Element = JsonSchema::Element;
using testing::IsEmpty;

constexpr std::string_view problem_type = "application/problem+json";

std::string changed(std::string_view text, int (*change)(int)) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [&](unsigned char c) { return static_cast<char>(change(c)); });
  return out;
}

std::string lower(std::string_view text) { return changed(text, std::tolower); }

std::optional<Element> part(const Element& of, std::string_view pointer) {
  Element found;
  if (of.at_pointer(pointer).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

bool is_true(const Element& of, std::string_view pointer) {
  const auto found = part(of, pointer);
  return found && found->is_bool() && found->get_bool().value();
}

std::string text_at(const Element& of, std::string_view pointer) {
  const auto found = part(of, pointer);
  return found && found->is_string() ? std::string(text_of(*found)) : "";
}

std::string as_json_text(std::string_view text) {
  std::string out;
  JsonWriter(out).string(text);
  return out;
}

/// A header or a parameter has no quotes: `7` may be meant as a number or as a text.
JsonSchema::Faults faults_of_plain(const JsonSchema& document, const Element& schema,
                                   std::string_view text) {
  if (document.check(schema, text).empty()) return {};
  return document.check(schema, as_json_text(text));
}

bool matches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    const std::string_view wanted = pattern.substr(0, pattern.find('/'));
    const std::string_view segment = path.substr(0, path.find('/'));
    const bool any = wanted.starts_with('{') && !segment.empty();
    if (!any && wanted != segment) return false;
    pattern.remove_prefix(wanted.size());
    path.remove_prefix(segment.size());
  }
  return pattern.empty() && path.empty();
}

/// The codes a refusal with this response may have.
std::vector<std::string> codes_of(const Element& response) {
  std::vector<std::string> codes;
  const auto all = part(response, "/content/application~1problem+json/schema/allOf");
  if (!all) return codes;
  for (const Element each : items_of(*all)) {
    const auto allowed = part(each, "/properties/code/enum");
    if (!allowed) continue;
    for (const Element code : items_of(*allowed)) codes.emplace_back(text_of(code));
  }
  return codes;
}

/// What there is to be seen of a response: its codes, or else its media types.
std::vector<std::string> shapes_of(const Element& response) {
  std::vector<std::string> shapes = codes_of(response);
  if (!shapes.empty()) return shapes;
  if (const auto content = part(response, "/content")) {
    for (const auto& [type, media] : members_of(*content)) shapes.emplace_back(type);
  }
  if (shapes.empty()) shapes.emplace_back("nothing");
  return shapes;
}

std::string shape_of(const Answered& answered) {
  const std::string type = answered.header("content-type");
  if (type == problem_type && !answered.body.empty()) return Json(answered.body).text("/code");
  return type.empty() ? "nothing" : type;
}

constexpr std::array components_without_operation{
    std::pair("NoSuchAddress", 404), std::pair("MethodNotAllowed", 405), std::pair("Options", 204)};

/// The whole of a request, or an operation of a batch.
bool refused_for_shape(const Answered& answered) {
  if (answered.status == 400) return Json(answered.body).has("/errors/0/pointer");
  const Json body(answered.body);
  for (std::size_t i = 0; body.has(fmt::format("/results/{}", i)); ++i) {
    if (body.number(fmt::format("/results/{}/status", i)) == 400) return true;
  }
  return false;
}

std::string header_sent(const Sent& sent, std::string_view name) {
  for (const Header& each : sent.headers) {
    if (lower(each.name) == name) return each.value;
  }
  return "";
}

}  // namespace

void CheckedCalls::check(const Sent& sent, const Answered& answered) {
  SCOPED_TRACE(fmt::format("{} {} {} → {} {}", sent.method, sent.target.substr(0, 200),
                           sent.body.substr(0, 200), answered.status,
                           answered.body.substr(0, 400)));
  const Described described = describe(sent);
  const auto found = response(described, answered.status);
  if (!found) {
    ADD_FAILURE() << "status " << answered.status << " is not described for "
                  << (described.name.empty() ? "addresses that are none" : described.name);
    return;
  }
  check_headers(sent, answered, *found);
  check_body(sent, answered, *found);
  if (described.operation) check_request(sent, answered, *described.operation);
  if (sent.method == "HEAD") return;
  seen_.insert(fmt::format("{} {} {}", described.name, answered.status, shape_of(answered)));
}

CheckedCalls::Described CheckedCalls::describe(const Sent& sent) const {
  const std::string method = sent.method == "HEAD" ? "get" : lower(sent.method);
  const std::string_view path = http::path_of(sent.target);
  for (const auto& [pattern, item] : members_of(document_.at("/paths"))) {
    if (!matches(pattern, path)) continue;
    const auto operation = part(item, "/" + method);
    if (operation) {
      return {fmt::format("{} {}", changed(method, std::toupper), pattern), operation};
    }
  }
  return {};
}

std::optional<Element> CheckedCalls::response(const Described& described, int status) const {
  if (described.operation) {
    const auto found = part(*described.operation, fmt::format("/responses/{}", status));
    return found ? std::optional(document_.resolved(*found)) : std::nullopt;
  }
  for (const auto& [name, given] : components_without_operation) {
    if (given == status) return document_.at(fmt::format("/components/responses/{}", name));
  }
  return std::nullopt;
}

void CheckedCalls::check_headers(const Sent& sent, const Answered& answered,
                                 const Element& response) const {
  std::set<std::string> known{"content-type", "content-length", "connection", "date",
                              "transfer-encoding"};
  for (const auto& [name, use] : members_of(part(response, "/headers").value())) {
    const Element header = document_.resolved(use);
    const auto there = answered.headers.find(lower(name));
    known.insert(lower(name));
    if (there == answered.headers.end()) {
      EXPECT_FALSE(is_true(header, "/required")) << "no header " << name;
      continue;
    }
    EXPECT_THAT(faults_of_plain(document_, part(header, "/schema").value(), there->second),
                IsEmpty())
        << "header " << name;
  }
  for (const auto& [name, value] : answered.headers) {
    EXPECT_TRUE(known.contains(name)) << "the header " << name << " is not described";
  }
  const bool key_was_used = answered.headers.contains("idempotency-expires");
  const std::string echoed = answered.header("idempotency-key");
  if (!echoed.empty()) {
    const std::string key = header_sent(sent, "idempotency-key");
    const bool derived =
        key.empty() && (echoed.size() == 64 || echoed.starts_with("ik1-") || echoed == "in-body");
    EXPECT_TRUE(derived || echoed == key) << echoed;
  } else if (answered.status >= 400) {
    EXPECT_FALSE(key_was_used) << "and is not echoed";
  }
}

void CheckedCalls::check_body(const Sent& sent, const Answered& answered,
                              const Element& response) const {
  const std::string type = answered.header("content-type");
  const auto content = part(response, "/content");
  if (!content) {
    EXPECT_EQ(answered.body, "");
    EXPECT_EQ(type, "");
    return;
  }
  Element media;
  if (members_of(*content).at_key(type).get(media) != simdjson::SUCCESS) {
    ADD_FAILURE() << "the media type " << type << " is not described";
    return;
  }
  if (sent.method == "HEAD") {
    EXPECT_EQ(answered.body, "");
    return;
  }
  const Element schema = part(media, "/schema").value();
  const bool is_json = type.ends_with("json");
  EXPECT_THAT(document_.check(schema, is_json ? answered.body : as_json_text(answered.body)),
              IsEmpty());
  if (type != problem_type) return;
  const std::string request_id = Json(answered.body).text("/request_id");
  if (!request_id.starts_with("first-")) {
    EXPECT_EQ(request_id, answered.header("x-request-id"));
  }
}

/// What the service took must be what the document asks for, and what it refused for its shape must
/// not be.
void CheckedCalls::check_request(const Sent& sent, const Answered& answered,
                                 const Element& operation) const {
  if (answered.status < 300) check_query(sent, operation);
  const auto schema = part(operation, "/requestBody/content/application~1json/schema");
  if (!schema) return;
  const bool required = is_true(operation, "/requestBody/required");
  if (sent.body.empty() && !required) return;
  const JsonSchema::Faults faults = document_.check(*schema, sent.body);
  if (refused_for_shape(answered)) {
    EXPECT_FALSE(faults.empty()) << "refused, although its schema accepts it";
  } else if (answered.status < 300) {
    EXPECT_THAT(faults, IsEmpty()) << "accepted, although its schema refuses it";
  }
}

/// Whether it is among those described; its value is to be as described, too.
bool CheckedCalls::has_parameter(const Element& parameters, const http::QueryItem& item) const {
  for (const Element each : items_of(parameters)) {
    const Element parameter = document_.resolved(each);
    if (text_at(parameter, "/in") != "query" || text_at(parameter, "/name") != item.name) continue;
    EXPECT_THAT(faults_of_plain(document_, part(parameter, "/schema").value(), item.value),
                IsEmpty())
        << item.name;
    return true;
  }
  return false;
}

void CheckedCalls::check_query(const Sent& sent, const Element& operation) const {
  const auto target = http::parse_target(sent.target);
  const auto parameters = part(operation, "/parameters");
  for (const http::QueryItem& item : target ? target->query : std::vector<http::QueryItem>()) {
    const bool described = parameters && has_parameter(*parameters, item);
    EXPECT_TRUE(described) << "the parameter " << item.name << " is not described";
  }
}

std::vector<std::string> CheckedCalls::operations() const {
  std::vector<std::string> names;
  for (const auto& [path, item] : members_of(document_.at("/paths"))) {
    for (const auto& [method, operation] : members_of(item))
      names.push_back(fmt::format("{} {}", changed(method, std::toupper), path));
  }
  return names;
}

std::vector<std::string> CheckedCalls::unseen() const {
  std::set<std::string> all;
  const auto add = [&](const std::string& name, std::string_view status, const Element& response) {
    for (const std::string& shape : shapes_of(document_.resolved(response)))
      all.insert(fmt::format("{} {} {}", name, status, shape));
  };
  for (const auto& [path, item] : members_of(document_.at("/paths"))) {
    for (const auto& [method, operation] : members_of(item)) {
      const std::string name = fmt::format("{} {}", changed(method, std::toupper), path);
      for (const auto& [status, response] : members_of(part(operation, "/responses").value()))
        add(name, status, response);
    }
  }
  for (const auto& [name, status] : components_without_operation) {
    add("", std::to_string(status), document_.at(fmt::format("/components/responses/{}", name)));
  }
  std::vector<std::string> left;
  std::set_difference(all.begin(), all.end(), seen_.begin(), seen_.end(), std::back_inserter(left));
  return left;
}

}  // namespace holdfast::test
