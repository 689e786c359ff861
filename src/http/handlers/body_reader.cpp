#include "http/handlers/body_reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "domain/canonical.hpp"
#include "domain/digest.hpp"
#include "domain/operation.hpp"
#include "http/handlers/idempotency_key.hpp"
#include "http/handlers/json_numbers.hpp"
#include "wire/body.hpp"

namespace holdfast::http {
namespace {

namespace dom = simdjson::dom;

constexpr double exact_max = 9007199254740991.0;  // of the integers a JSON number can carry

/// Whether a number with a point or an exponent was read from the body. Only these can have been
/// rounded, and they are few: the text is looked at again for their sake only.
thread_local bool fraction_read = false;

/// What was read from a body, unless something is wrong with it.
template <typename T>
Read<T> read_or_refused(T&& read, std::string_view body, BodyErrors&& errors) {
  if (fraction_read && errors.empty() && !has_exchangeable_numbers(body)) {
    errors.push_back({"", "The body holds a number that JSON programs do not agree on."});
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return std::forward<T>(read);
}

/// What one member of an object is read with: it fills in its value or says what is wrong.
struct Member {
  std::string_view name;
  bool required = true;
  std::function<std::string(const dom::element&)> read;
};

/// Walks an object against its members. Unknown and repeated ones are errors.
void read_object(const dom::element& element, const std::string& pointer,
                 std::span<const Member> members, BodyErrors& errors) {
  dom::object object;
  if (element.get(object) != simdjson::SUCCESS) {
    errors.push_back({pointer, "This must be an object."});
    return;
  }
  std::uint32_t seen = 0;
  for (const auto& [name, value] : object) {
    std::size_t index = 0;
    const Member* found = nullptr;
    for (const Member& each : members) {
      if (each.name == name) {
        found = &each;
        break;
      }
      ++index;
    }
    const auto here = [&, key = name] { return pointer + pointer_step(to_valid_utf8(key)); };
    if (found == nullptr) {
      errors.push_back({here(), "There is no such member here."});
    } else if ((seen & (1U << index)) != 0) {
      errors.push_back({here(), "This member is there twice."});
    } else {
      seen |= 1U << index;
      if (std::string wrong = found->read(value); !wrong.empty())
        errors.push_back({here(), std::move(wrong)});
    }
    if (errors.size() >= 100) return;
  }
  std::size_t index = 0;
  for (const Member& each : members) {
    if (each.required && (seen & (1U << index)) == 0)
      errors.push_back({pointer + pointer_step(each.name), "This member is missing."});
    ++index;
  }
}

std::string read_text(const dom::element& element, std::string& out) {
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS) return "This must be a string.";
  if (text.find('\0') != std::string_view::npos) return "This must not hold a NUL character.";
  if (!is_valid_utf8(text)) return "This string holds half a surrogate pair.";
  out = text;
  return {};
}

std::string read_integer(const dom::element& element, std::int64_t& out) {
  constexpr const char* wrong = "This must be an integer that JSON can carry exactly.";
  double number = 0;
  if (element.is<std::int64_t>() && element.get(out) == simdjson::SUCCESS) {
    return std::abs(static_cast<double>(out)) <= exact_max ? "" : wrong;
  }
  if (element.get(number) != simdjson::SUCCESS) return "This must be a number.";
  fraction_read = true;
  if (std::abs(number) > exact_max || std::trunc(number) != number) return wrong;
  out = static_cast<std::int64_t>(number);
  return {};
}

/// ISO 8601, or seconds as a number.
std::string read_duration(const dom::element& element, Duration& out) {
  std::string_view text;
  if (element.get(text) == simdjson::SUCCESS) {
    const auto duration = text.starts_with('P') ? parse_duration(text) : std::nullopt;
    if (!duration) {
      return "This must be an ISO 8601 duration such as PT15M, of no more than can be measured, or "
             "seconds.";
    }
    out = *duration;
    return {};
  }
  double seconds = 0;
  if (element.get(seconds) != simdjson::SUCCESS)
    return "This must be a duration: ISO 8601 text such as PT15M, or seconds.";
  fraction_read = fraction_read || element.is<double>();
  const double micros = std::round(seconds * 1e6);
  if (std::abs(micros) > exact_max) return "These are more seconds than can be measured.";
  // Decimal fractions are not quite what was written, and the less so the more seconds there are.
  const double blur = 1e-3 + std::abs(micros) * 2 * std::numeric_limits<double>::epsilon();
  if (std::abs(micros - seconds * 1e6) > blur) return "This is finer than a microsecond.";
  out = Duration(static_cast<std::int64_t>(micros));
  return {};
}

std::string parse_error_text(simdjson::error_code code, const Limits& limits) {
  switch (code) {
    case simdjson::EMPTY:
      return "The body is empty; JSON is expected.";
    case simdjson::DEPTH_ERROR:
      return fmt::format("The body is nested deeper than {}.", limits.json_depth_max);
    case simdjson::UTF8_ERROR:
      return "The body is not UTF-8.";
    case simdjson::NUMBER_ERROR:
      return "The body holds a number that JSON programs do not agree on.";
    case simdjson::STRING_ERROR:
      return "The body holds a string with a broken escape or half a surrogate pair.";
    default:
      return "The body is not JSON.";
  }
}

/// Whether arrays and objects are nested deeper than that. The parser does not count an empty one.
bool is_deeper(const dom::element& element, std::size_t depth_max) {
  dom::array array;
  if (element.get(array) == simdjson::SUCCESS) {
    return depth_max == 0 || std::any_of(array.begin(), array.end(), [&](const auto& each) {
             return is_deeper(each, depth_max - 1);
           });
  }
  dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return false;
  return depth_max == 0 || std::any_of(object.begin(), object.end(), [&](const auto& each) {
           return is_deeper(each.value, depth_max - 1);
         });
}

/// One parser a thread, kept for its memory.
Read<dom::element> parse(std::string_view body, const Limits& limits) {
  thread_local dom::parser parser;
  const auto failed = [&](simdjson::error_code code) {
    return tl::unexpected(BodyErrors{{"", parse_error_text(code, limits)}});
  };
  const std::size_t depth = limits.json_depth_max + 1;  // the parser counts what is innermost, too
  if (parser.capacity() < body.size() || parser.max_depth() != depth) {
    const auto code = parser.allocate(std::max(body.size(), std::size_t{1024}), depth);
    if (code != simdjson::SUCCESS) return failed(code);
  }
  fraction_read = false;
  dom::element root;
  const auto code = parser.parse(body.data(), body.size(), false).get(root);
  if (code != simdjson::SUCCESS) return failed(code);
  if (is_deeper(root, limits.json_depth_max)) return failed(simdjson::DEPTH_ERROR);
  return root;
}

/// Any value, in canonical form.
std::string read_json(const dom::element& element, std::string& out) {
  fraction_read = true;
  auto canonical = canonicalize(simdjson::minify(element));
  if (!canonical) return canonical.error().message;
  out = std::move(*canonical);
  return {};
}

std::string read_names(const dom::element& element, std::vector<std::string>& out) {
  dom::array array;
  if (element.get(array) != simdjson::SUCCESS) return "This must be an array of strings.";
  for (const dom::element& each : array) {
    if (std::string wrong = read_text(each, out.emplace_back()); !wrong.empty())
      return "This must be an array of strings.";
  }
  return {};
}

std::string read_value(const dom::element& value, const Parameter& field, void* parameters) {
  switch (field.type) {
    case ParameterType::name:
      return read_text(value, field.in<std::string>(parameters));
    case ParameterType::integer:
      return read_integer(value, field.in<std::int64_t>(parameters));
    case ParameterType::duration:
      return read_duration(value, field.in<Duration>(parameters));
    case ParameterType::hold: {
      std::string text;
      std::string wrong = read_text(value, text);
      if (wrong.empty()) field.in<HoldId>(parameters) = hold_named(text);
      return wrong;
    }
    case ParameterType::group: {
      std::string text;
      std::string wrong = read_text(value, text);
      if (wrong.empty()) field.in<GroupId>(parameters) = group_named(text);
      return wrong;
    }
    case ParameterType::part:
      return read_integer(value, field.in<std::optional<std::int64_t>>(parameters).emplace());
    case ParameterType::flag:
      return value.get(field.in<bool>(parameters)) == simdjson::SUCCESS
                 ? std::string()
                 : "This must be true or false.";
    case ParameterType::text:
      return read_text(value, field.in<std::string>(parameters));
    case ParameterType::json:
      return read_json(value, field.in<std::string>(parameters));
    case ParameterType::names:
      return read_names(value, field.in<std::vector<std::string>>(parameters));
    case ParameterType::items:
      break;  // each has its own place: `read_fields` reads them
  }
  return {};
}

/// The holds of a group, each an object of its own.
void read_items(const dom::element& value, const std::string& pointer,
                std::vector<GroupItem>& items, BodyErrors& errors) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) {
    errors.push_back({pointer, "This must be an array."});
    return;
  }
  for (const dom::element& each : array) {
    GroupItem& item = items.emplace_back();
    const std::array members{
        Member{"resource", true, [&](auto& v) { return read_text(v, item.resource); }},
        Member{"quantity", false, [&](auto& v) { return read_integer(v, item.quantity); }}};
    read_object(each, fmt::format("{}/{}", pointer, items.size() - 1), members, errors);
    if (errors.size() >= 100) return;
  }
}

/// The parameters of an operation. In a batch those that otherwise stand in the path are there,
/// too.
void read_fields(const dom::element& element, const std::string& pointer, const OperationSpec& spec,
                 bool in_batch, void* parameters, BodyErrors& errors) {
  const auto members_within = [&](std::string_view within, const std::string& at) {
    std::vector<Member> members;
    members.reserve(spec.fields.size());
    for (const Parameter& each : spec.fields) {
      if (each.within != within || (!in_batch && each.position == Position::path)) continue;
      const auto read = [&errors, parameters, at, field = &each](const dom::element& value) {
        if (field->type != ParameterType::items) return read_value(value, *field, parameters);
        read_items(value, at + pointer_step(field->name),
                   field->in<std::vector<GroupItem>>(parameters), errors);
        return std::string();
      };
      members.push_back({each.name, each.required, read});
    }
    return members;
  };
  std::vector<Member> members = members_within({}, pointer);
  std::string_view last;
  for (const Parameter& each : spec.fields) {  // fields of one object follow each other
    if (each.within.empty() || each.within == last) continue;
    last = each.within;
    const auto read = [&, within = each.within](const dom::element& value) {
      const std::string at = pointer + pointer_step(within);
      read_object(value, at, members_within(within, at), errors);
      return std::string();
    };
    members.push_back({each.within, each.required, read});
  }
  read_object(element, pointer, members, errors);
}

}  // namespace

HoldId hold_named(const std::string& text) {
  if (const auto id = HoldId::parse(text)) return *id;
  HoldId none;  // no hold has the ordinal 0
  std::memcpy(&none.salt, sha256(text).bytes.data(), sizeof none.salt);
  none.salt >>= 4U;
  return none;
}

GroupId group_named(const std::string& text) {
  if (const auto id = GroupId::parse(text)) return *id;
  return {hold_named("g " + text)};
}

Read<Command> read_command(const OperationSpec& spec, std::string_view body,
                           std::span<const std::string> path, const Limits& limits) {
  std::shared_ptr<void> parameters = spec.make();
  bool takes_body = false;
  for (const Parameter& each : spec.fields) {
    if (each.position == Position::body) {
      takes_body = takes_body || each.required;
      continue;
    }
    const std::string& text = path.front();
    path = path.subspan(1);
    if (each.type == ParameterType::hold) {
      each.in<HoldId>(parameters.get()) = hold_named(text);
    } else if (each.type == ParameterType::group) {
      each.in<GroupId>(parameters.get()) = group_named(text);
    } else {
      each.in<std::string>(parameters.get()) = text;
    }
  }
  if (!takes_body && body.empty()) return Command(spec.row.id, std::move(parameters));
  const auto root = parse(body, limits);
  if (!root) return tl::unexpected(root.error());
  BodyErrors errors;
  read_fields(*root, "", spec, false, parameters.get(), errors);
  return read_or_refused(Command(spec.row.id, std::move(parameters)), body, std::move(errors));
}

namespace {

BatchItem read_item(const dom::element& element, const std::string& pointer,
                    std::size_t token_bytes_max) {
  BatchItem item;
  std::string token;
  std::optional<dom::element> parameters;
  const OperationSpec* spec = nullptr;
  const auto read_operation = [&](const dom::element& value) -> std::string {
    std::string name;
    if (std::string wrong = read_text(value, name); !wrong.empty()) return wrong;
    const auto operation = operation_named(name);
    if (!operation || !spec_of(*operation).address.is_public())
      return "There is no such operation.";
    spec = &spec_of(*operation);
    return {};
  };
  const auto read_token = [&](const dom::element& value) -> std::string {
    if (std::string wrong = read_text(value, token); !wrong.empty()) return wrong;
    item.token_invalid = !is_token(token, token_bytes_max);
    if (!item.token_invalid) return {};
    return fmt::format("A token is 1 to {} bytes of printable ASCII.", token_bytes_max);
  };
  const auto read_nonce = [&](const dom::element& value) -> std::string {
    if (std::string wrong = read_text(value, item.call.nonce); !wrong.empty()) return wrong;
    return is_nonce(item.call.nonce) ? "" : std::string(nonce_rule);
  };
  const std::array members{
      Member{"token", false, read_token}, Member{"operation", true, read_operation},
      Member{"params", true,
             [&](auto& v) {
               parameters = v;
               return std::string();
             }},
      Member{"nonce", false, read_nonce},
      Member{"confirmation", false, [&](auto& v) { return read_text(v, item.call.confirmation); }}};
  read_object(element, pointer, members, item.errors);
  item.call.token = Token(std::move(token));
  if (!item.errors.empty()) return item;
  std::shared_ptr<void> made = spec->make();
  read_fields(*parameters, pointer + "/params", *spec, true, made.get(), item.errors);
  item.call.command = Command(spec->row.id, std::move(made));
  return item;
}

}  // namespace

Read<std::vector<BatchItem>> read_batch(std::string_view body, const Limits& limits,
                                        std::size_t token_bytes_max) {
  const auto root = parse(body, limits);
  if (!root) return tl::unexpected(root.error());
  std::vector<BatchItem> items;
  BodyErrors errors;
  const auto read_operations = [&](const dom::element& value) -> std::string {
    dom::array array;
    if (value.get(array) != simdjson::SUCCESS) return "This must be an array.";
    for (const dom::element& each : array) {
      if (items.size() > limits.batch_operations_max) break;  // one too many is enough to know
      items.push_back(
          read_item(each, fmt::format("/operations/{}", items.size()), token_bytes_max));
    }
    return {};
  };
  const std::array members{Member{"operations", true, read_operations}};
  read_object(*root, "", members, errors);
  return read_or_refused(std::move(items), body, std::move(errors));
}

}  // namespace holdfast::http
