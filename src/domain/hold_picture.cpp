#include "domain/hold_picture.hpp"

#include <simdjson.h>

#include "base/json_members.hpp"
#include "base/time_text.hpp"

namespace holdfast {

std::string picture_of(const HoldRow& hold) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("hold");
  json.begin_object();  // members in the order of RFC 8785
  integer_member(json, "cancelled", hold.cancelled);
  integer_member(json, "confirmed", hold.confirmed);
  text_member(json, "expires_at", time_text(hold.expires_at));
  text_member(json, "state", name(hold.state));
  json.end_object();
  json.end_object();
  return text;
}

bool apply_picture(std::string_view detail, HoldRow& hold) {
  thread_local simdjson::dom::parser parser;
  const auto picture = parser.parse(detail.data(), detail.size())["hold"];
  std::string_view expires_at;
  std::string_view state_name;
  HoldRow as_told = hold;
  if (picture["cancelled"].get(as_told.cancelled) != simdjson::SUCCESS ||
      picture["confirmed"].get(as_told.confirmed) != simdjson::SUCCESS ||
      picture["expires_at"].get(expires_at) != simdjson::SUCCESS ||
      picture["state"].get(state_name) != simdjson::SUCCESS) {
    return false;
  }
  const auto expiry = parse_rfc3339(expires_at);
  const auto state = hold_state_named(state_name);
  if (!expiry || !state) return false;
  hold = as_told;
  hold.expires_at = *expiry;
  hold.state = *state;
  return true;
}

}  // namespace holdfast
