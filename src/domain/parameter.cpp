#include "domain/parameter.hpp"

#include "base/utf8.hpp"

namespace holdfast {
namespace {

bool is_blank(std::string_view name) {
  return name.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

bool is_text(std::string_view name) {
  return name.find('\0') == std::string_view::npos && is_valid_utf8(name);
}

bool is_exact(std::int64_t number) { return number >= -quantity_max && number <= quantity_max; }

Reason name_fault(std::string_view name, const Bounds& bounds) {
  if (is_blank(name)) return bounds.blank;
  if (name.size() > name_bytes_max) return bounds.size;
  return is_text(name) ? Reason::none : bounds.text;
}

bool within_bounds(Duration duration, const Rules& rules, Instant now) {
  return duration >= rules.duration_min && duration <= rules.duration_max &&
         duration.count() >= 1 && after(now, duration) != never;
}

Reason fault(const Parameter& field, const void* parameters, const Rules& rules, Instant now) {
  const Bounds& bounds = field.bounds;
  switch (field.type) {
    case ParameterType::name:
      return name_fault(field.of<std::string>(parameters), bounds);
    case ParameterType::integer: {
      const std::int64_t number = field.of<std::int64_t>(parameters);
      return number < bounds.least || number > bounds.most ? bounds.range : Reason::none;
    }
    case ParameterType::duration:
      return within_bounds(field.of<Duration>(parameters), rules, now) ? Reason::none
                                                                       : bounds.range;
    case ParameterType::hold:
      return Reason::none;  // one that does not exist is not known, which is for the operation
  }
  return Reason::none;
}

Reason json_fault(const Parameter& field, const void* parameters) {
  switch (field.type) {
    case ParameterType::name: {
      const std::string& name = field.of<std::string>(parameters);
      // An empty segment of a path would name another address.
      if (field.position == Position::path && name.empty()) return field.bounds.blank;
      return is_text(name) ? Reason::none : field.bounds.text;
    }
    case ParameterType::integer:
      return is_exact(field.of<std::int64_t>(parameters)) ? Reason::none : field.bounds.range;
    case ParameterType::duration:
      return is_exact(field.of<Duration>(parameters).count()) ? Reason::none : field.bounds.range;
    case ParameterType::hold:
      return Reason::none;
  }
  return Reason::none;
}

}  // namespace

Refused check_bounds(std::span<const Parameter> fields, const void* parameters, const Rules& rules,
                     Instant now) {
  for (const Parameter& each : fields) {
    const Reason wrong = fault(each, parameters, rules, now);
    if (wrong != Reason::none) return Refusal{Rejection::invalid_request, wrong};
  }
  return {};
}

Reason not_for_json(std::span<const Parameter> fields, const void* parameters) {
  for (const Parameter& each : fields) {
    const Reason wrong = json_fault(each, parameters);
    if (wrong != Reason::none) return wrong;
  }
  return Reason::none;
}

}  // namespace holdfast
