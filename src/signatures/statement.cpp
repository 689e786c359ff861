#include "signatures/statement.hpp"

#include <algorithm>

#include "signatures/header_text.hpp"

namespace holdfast::signatures {
namespace {

constexpr std::string_view standard_id = "webhook-id";
constexpr std::string_view standard_timestamp = "webhook-timestamp";
constexpr std::string_view standard_signature = "webhook-signature";
constexpr std::string_view github_signature = "X-Hub-Signature-256";
constexpr std::string_view github_delivery = "X-GitHub-Delivery";
constexpr std::string_view github_prefix = "sha256=";

tl::unexpected<Refusal> refuse(Reason reason, std::string_view header, std::string_view what) {
  return tl::unexpected(Refusal{reason, std::string(header) + " " + std::string(what)});
}

tl::unexpected<Refusal> malformed(std::string_view header, std::string_view what) {
  return refuse(Reason::malformed, header, what);
}

/// Reads one statement, by what its scheme asks for. Used once.
class Reading {
 public:
  Reading(const HeaderLookup& headers, std::string_view body) : headers_(headers) {
    statement_.content.body = body;
  }

  tl::expected<Statement, Refusal> operator()(const Standard&) {
    const auto id = event_id(standard_id);
    if (!id) return tl::unexpected(id.error());
    if (!is_standard_id(*id)) return malformed(standard_id, "has a dot in it");
    statement_.event_id = *id;
    statement_.content.head = statement_.event_id + '.';
    if (auto taken = timestamp(standard_timestamp); !taken) return tl::unexpected(taken.error());
    const auto text = header(standard_signature, signature_header_bytes_max);
    if (!text) return tl::unexpected(text.error());
    auto signatures = standard_signatures(*text);
    if (!signatures) return malformed(standard_signature, signatures.error());
    statement_.signatures = std::move(*signatures);
    return std::move(statement_);
  }

  tl::expected<Statement, Refusal> operator()(const Timestamped& scheme) {
    const auto text = header(scheme.header, signature_header_bytes_max);
    if (!text) return tl::unexpected(text.error());
    auto read = timed_signatures(*text);
    if (!read) return malformed(scheme.header, read.error());
    if (!take_timestamp(read->timestamp))
      return malformed(scheme.header, "has a time stamp that is not a number of seconds");
    statement_.signatures = std::move(read->signatures);
    return placed(scheme.event_id);
  }

  tl::expected<Statement, Refusal> operator()(const Github&) {
    Hmac scheme;
    scheme.header = github_signature;
    scheme.prefix = github_prefix;
    return code(scheme, false).and_then([&](auto) {
      return placed(IdInHeader{std::string(github_delivery)});
    });
  }

  tl::expected<Statement, Refusal> operator()(const Hmac& scheme) {
    if (scheme.timestamp_header) {
      if (auto taken = timestamp(*scheme.timestamp_header); !taken)
        return tl::unexpected(taken.error());
    }
    return code(scheme, true).and_then([&](auto) { return placed(scheme.event_id); });
  }

 private:
  struct Done {};

  tl::expected<std::string_view, Refusal> header(std::string_view name, std::size_t bytes_max) {
    const Header found = headers_(name);
    if (found.count == 0) return refuse(Reason::missing_header, name, "is missing");
    if (found.count > 1) return malformed(name, "is there more than once");
    if (found.value.empty()) return malformed(name, "is empty");
    if (found.value.size() > bytes_max) return malformed(name, "is too long");
    return found.value;
  }

  tl::expected<std::string, Refusal> event_id(std::string_view name) {
    const auto text = header(name, event_id_bytes_max);
    if (!text) return tl::unexpected(text.error());
    if (!is_event_id(*text)) return malformed(name, "is not printable ASCII without spaces");
    return std::string(*text);
  }

  bool take_timestamp(std::string_view text) {
    statement_.timestamp = seconds_from(text);
    statement_.content.head += std::string(text) + '.';
    return statement_.timestamp.has_value();
  }

  tl::expected<Done, Refusal> timestamp(std::string_view name) {
    const auto text = header(name, signature_header_bytes_max);
    if (!text) return tl::unexpected(text.error());
    if (!take_timestamp(*text)) return malformed(name, "is not a number of seconds");
    return Done{};
  }

  /// The one HMAC of a header.
  tl::expected<Done, Refusal> code(const Hmac& scheme, bool either_case) {
    const auto text = header(scheme.header, signature_header_bytes_max);
    if (!text) return tl::unexpected(text.error());
    if (!text->starts_with(scheme.prefix))
      return malformed(scheme.header, "does not begin with " + scheme.prefix);
    std::string digits(text->substr(scheme.prefix.size()));
    if (either_case && scheme.encoding == Encoding::hex) {
      for (char& each : digits)
        each = each >= 'A' && each <= 'F' ? static_cast<char>(each + 32) : each;
    }
    auto bytes = code_from(digits, scheme.hash, scheme.encoding);
    if (!bytes) return malformed(scheme.header, "is not an HMAC in the form that was set");
    statement_.hash = scheme.hash;
    statement_.signatures.push_back({Secret::Kind::shared, std::move(*bytes)});
    return Done{};
  }

  tl::expected<Statement, Refusal> placed(const IdPlace& place) {
    if (const auto* in_header = std::get_if<IdInHeader>(&place)) {
      auto id = event_id(in_header->name);
      if (!id) return tl::unexpected(std::move(id.error()));
      statement_.event_id = std::move(*id);
    } else {
      statement_.pointer = std::get<IdInBody>(place).pointer;
    }
    return std::move(statement_);
  }

  const HeaderLookup& headers_;
  Statement statement_;
};

}  // namespace

bool is_event_id(std::string_view text) {
  return !text.empty() && text.size() <= event_id_bytes_max &&
         std::all_of(text.begin(), text.end(), is_printable);
}

bool is_standard_id(std::string_view text) {
  return is_event_id(text) && text.find('.') == std::string_view::npos;
}

tl::expected<Statement, Refusal> read_statement(const Scheme& scheme, const HeaderLookup& headers,
                                                std::string_view body) {
  return std::visit(Reading(headers, body), scheme);
}

}  // namespace holdfast::signatures
