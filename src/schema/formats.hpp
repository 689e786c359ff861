#pragma once

#include <string_view>

/// What `format` asserts. Each looks at its text once, or nearly so.
namespace holdfast::schema {

using FormatCheck = bool (*)(std::string_view text);

struct Format {
  std::string_view name;
  FormatCheck fits;  ///< null for those that are annotations here
};

/// Null for what draft 2020-12 does not list.
[[nodiscard]] const Format* find_format(std::string_view name);

/// RFC 3339, with leap seconds where they can be, at the end of a day in UTC.
[[nodiscard]] bool is_date(std::string_view text);
[[nodiscard]] bool is_time(std::string_view text);
[[nodiscard]] bool is_date_time(std::string_view text);
/// A mailbox of RFC 5321: `Dot-string` or `Quoted-string`, and a domain or an address literal.
[[nodiscard]] bool is_email(std::string_view text);
/// RFC 4122, any version.
[[nodiscard]] bool is_uuid(std::string_view text);
/// RFC 3986, with a scheme.
[[nodiscard]] bool is_uri(std::string_view text);
[[nodiscard]] bool is_ipv4(std::string_view text);
[[nodiscard]] bool is_ipv6(std::string_view text);

}  // namespace holdfast::schema
