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

Reason items_fault(const std::vector<GroupItem>& items, const Bounds& bounds) {
  if (items.empty() || items.size() > group_size_max) return bounds.count;
  for (const GroupItem& each : items) {
    if (const Reason wrong = name_fault(each.resource, bounds); wrong != Reason::none) return wrong;
    if (each.quantity < bounds.least || each.quantity > bounds.most) return bounds.range;
  }
  return Reason::none;
}

Reason text_fault(std::string_view text, const Bounds& bounds) {
  if (text.size() > name_bytes_max) return bounds.size;
  return is_text(text) ? Reason::none : bounds.text;
}

Reason names_fault(const std::vector<std::string>& names, const Bounds& bounds) {
  if (names.empty() || names.size() > group_size_max) return bounds.count;
  for (const std::string& each : names) {
    if (const Reason wrong = name_fault(each, bounds); wrong != Reason::none) return wrong;
  }
  return Reason::none;
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
    case ParameterType::part: {
      const auto& part = field.of<std::optional<std::int64_t>>(parameters);
      return part && (*part < bounds.least || *part > bounds.most) ? bounds.range : Reason::none;
    }
    case ParameterType::items:
      return items_fault(field.of<std::vector<GroupItem>>(parameters), bounds);
    case ParameterType::text:
      return text_fault(field.of<std::string>(parameters), bounds);
    case ParameterType::names:
      if (is_left_out(field, parameters)) return Reason::none;
      return names_fault(field.of<std::vector<std::string>>(parameters), bounds);
    case ParameterType::json:  // whoever read it saw to that
    case ParameterType::hold:
    case ParameterType::group:  // one that does not exist is not known, which is for the operation
    case ParameterType::flag:
      return Reason::none;
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
    case ParameterType::part: {
      const auto& part = field.of<std::optional<std::int64_t>>(parameters);
      return part && !is_exact(*part) ? field.bounds.range : Reason::none;
    }
    case ParameterType::items:
      for (const GroupItem& each : field.of<std::vector<GroupItem>>(parameters)) {
        if (!is_text(each.resource)) return field.bounds.text;
        if (!is_exact(each.quantity)) return field.bounds.range;
      }
      return Reason::none;
    case ParameterType::text:
      return is_text(field.of<std::string>(parameters)) ? Reason::none : field.bounds.text;
    case ParameterType::names:
      for (const std::string& each : field.of<std::vector<std::string>>(parameters)) {
        if (!is_text(each)) return field.bounds.text;
      }
      return Reason::none;
    case ParameterType::json:
    case ParameterType::hold:
    case ParameterType::group:
    case ParameterType::flag:
      return Reason::none;
  }
  return Reason::none;
}

}  // namespace

bool is_left_out(const Parameter& field, const void* parameters) {
  if (field.type == ParameterType::part)
    return !field.of<std::optional<std::int64_t>>(parameters).has_value();
  if (field.type == ParameterType::text || field.type == ParameterType::json)
    return field.of<std::string>(parameters).empty();
  if (field.type == ParameterType::names)
    return !field.required && field.of<std::vector<std::string>>(parameters).empty();
  return field.type == ParameterType::flag && !field.of<bool>(parameters);
}

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
