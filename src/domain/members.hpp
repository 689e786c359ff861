#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "domain/member.hpp"
#include "domain/module_rows.hpp"
#include "domain/row_json.hpp"

/// The members of an object, said once: of a row, or of what a record says. Its writer, its reader
/// and its schema in the contract walk the table; none of them knows the object.
namespace holdfast {

/// What JSON has of a type: `is_set`, or else a member is left out; `write`, `read` and `schema`.
/// Other types bring a specialization of their own.
template <typename T>
struct MemberType;

template <>
struct MemberType<std::int64_t> {
  static constexpr std::string_view schema = R"({"type":"integer"})";
  static bool is_set(std::int64_t) { return true; }
  static void write(JsonWriter& json, std::int64_t value) { json.integer(value); }
  static bool read(const simdjson::dom::element& json, std::int64_t& value) {
    return json.get(value) == simdjson::SUCCESS;
  }
};

template <>
struct MemberType<bool> {
  static constexpr std::string_view schema = R"({"type":"boolean"})";
  static bool is_set(bool value) { return value; }
  static void write(JsonWriter& json, bool value) { json.boolean(value); }
  static bool read(const simdjson::dom::element& json, bool& value) {
    return json.get(value) == simdjson::SUCCESS;
  }
};

template <>
struct MemberType<std::string> {
  static constexpr std::string_view schema = R"({"type":"string"})";
  static bool is_set(const std::string& value) { return !value.empty(); }
  static void write(JsonWriter& json, const std::string& value) { json.string(value); }
  static bool read(const simdjson::dom::element& json, std::string& value) {
    std::string_view text;
    if (json.get(text) != simdjson::SUCCESS) return false;
    value = text;
    return true;
  }
};

template <>
struct MemberType<Instant> {
  static constexpr std::string_view schema = R"({"$ref":"#/components/schemas/Instant"})";
  static bool is_set(Instant) { return true; }
  static void write(JsonWriter& json, Instant value) { json.string(time_text(value)); }
  static bool read(const simdjson::dom::element& json, Instant& value) {
    std::string_view text;
    if (json.get(text) != simdjson::SUCCESS) return false;
    const auto at = parse_rfc3339(text);
    if (at) value = *at;
    return at.has_value();
  }
};

template <typename T>
struct MemberType<std::optional<T>> {
  static constexpr std::string_view schema = MemberType<T>::schema;
  static bool is_set(const std::optional<T>& value) { return value.has_value(); }
  static void write(JsonWriter& json, const std::optional<T>& value) {
    MemberType<T>::write(json, *value);
  }
  static bool read(const simdjson::dom::element& json, std::optional<T>& value) {
    return MemberType<T>::read(json, value.emplace());
  }
};

template <>
struct MemberType<std::vector<std::string>> {
  static constexpr std::string_view schema = R"({"type":"array","items":{"type":"string"}})";
  static bool is_set(const std::vector<std::string>&) { return true; }
  static void write(JsonWriter& json, const std::vector<std::string>& values) {
    json.begin_array();
    for (const std::string& each : values) json.string(each);
    json.end_array();
  }
  static bool read(const simdjson::dom::element& json, std::vector<std::string>& values) {
    simdjson::dom::array array;
    if (json.get(array) != simdjson::SUCCESS) return false;
    for (const simdjson::dom::element each : array) {
      if (!MemberType<std::string>::read(each, values.emplace_back())) return false;
    }
    return true;
  }
};

/// The way to a member: through members of members.
template <auto First, auto... Rest>
struct MemberPath;

template <typename Object, typename T, T Object::*First, auto... Rest>
struct MemberPath<First, Rest...> {
  using Of = Object;
  static auto& in(auto& object) {
    if constexpr (sizeof...(Rest) == 0) {
      return object.*First;
    } else {
      return MemberPath<Rest...>::in(object.*First);
    }
  }
};

namespace detail {

template <bool required, auto... Path>
[[nodiscard]] constexpr ObjectMember make_member(std::string_view name, std::string_view schema) {
  using At = MemberPath<Path...>;
  using Object = typename At::Of;
  using T = std::remove_cvref_t<decltype(At::in(std::declval<Object&>()))>;
  return {.name = name,
          .schema = schema.empty() ? MemberType<T>::schema : schema,
          .required = required,
          .is_set =
              [](const void* object) {
                return required ||
                       MemberType<T>::is_set(At::in(*static_cast<const Object*>(object)));
              },
          .write =
              [](const void* object, JsonWriter& json) {
                MemberType<T>::write(json, At::in(*static_cast<const Object*>(object)));
              },
          .read =
              [](const simdjson::dom::element& json, void* object) {
                return MemberType<T>::read(json, At::in(*static_cast<Object*>(object)));
              }};
}

}  // namespace detail

/// `member<&Said::then, &Counter::value>("value")`. `schema` is JSON, where that of the type says
/// too little.
template <auto... Path>
[[nodiscard]] constexpr ObjectMember member(std::string_view name, std::string_view schema = {}) {
  return detail::make_member<true, Path...>(name, schema);
}

/// Left out where it is not set: false, empty, without a value.
template <auto... Path>
[[nodiscard]] constexpr ObjectMember optional_member(std::string_view name,
                                                     std::string_view schema = {}) {
  return detail::make_member<false, Path...>(name, schema);
}

void write_object(JsonWriter& json, ObjectMembers members, const void* object);
/// False if `json` is no such object. Members that the table does not know are passed over.
[[nodiscard]] bool read_object(std::string_view json, ObjectMembers members, void* object);
/// The schema of such an object.
void write_object_schema(JsonWriter& json, ObjectMembers members, std::string_view description,
                         std::string_view examples);

template <typename T>
[[nodiscard]] std::string object_text(const T& object) {
  std::string text;
  JsonWriter json(text);
  write_object(json, T::members, &object);
  return text;
}

template <typename T>
[[nodiscard]] std::optional<T> object_in(std::string_view json) {
  T object;
  return read_object(json, T::members, &object) ? std::optional(std::move(object)) : std::nullopt;
}

/// A kind of row that is written and read as its members say.
template <typename Row>
[[nodiscard]] constexpr RowKind member_row(std::string_view name) {
  return {.space = Row::space,
          .name = name,
          .write = [](const void* row, JsonWriter& json) { write_object(json, Row::members, row); },
          .read = [](std::string_view json) -> std::shared_ptr<const void> {
            auto row = object_in<Row>(json);
            return row ? std::make_shared<const Row>(std::move(*row)) : nullptr;
          },
          .index = [](std::string_view key,
                      const void* row) { return static_cast<const Row*>(row)->index(key); }};
}

}  // namespace holdfast
