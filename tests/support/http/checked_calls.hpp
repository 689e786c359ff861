#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "http/transport/target.hpp"
#include "support/http/http_server.hpp"
#include "support/http/json_schema.hpp"

namespace holdfast::test {

/// A request as a test sends it.
struct Sent {
  std::string method;
  std::string target;
  Headers headers{};
  std::string body{};
};

/// Holds answers of a live service against the OpenAPI document that describes it. Whatever does
/// not agree fails the test: a status that is not described for the address, a header that is there
/// and is not described or is described as always there and is not, a value or a body that its
/// schema refuses; likewise a request that was accepted and does not fit its schema, or was refused
/// for its shape and does.
class CheckedCalls {
 public:
  explicit CheckedCalls(std::string_view document) : document_(document) {}

  void check(const Sent& sent, const Answered& answered);

  /// What the document describes and no answer has shown so far, such as
  /// `POST /v1/holds 409 not-held` or `GET /livez 200 application/json`.
  [[nodiscard]] std::vector<std::string> unseen() const;

  /// Every operation of the document, as `GET /v1/holds/{id}`.
  [[nodiscard]] std::vector<std::string> operations() const;
  [[nodiscard]] const JsonSchema& document() const { return document_; }

 private:
  using Element = JsonSchema::Element;
  struct Described {
    std::string name;  ///< `GET /v1/holds/{id}`; empty: no operation
    std::optional<Element> operation{};
  };

  [[nodiscard]] Described describe(const Sent& sent) const;
  [[nodiscard]] std::optional<Element> response(const Described& described, int status) const;
  void check_headers(const Sent& sent, const Answered& answered, const Element& response) const;
  void check_body(const Sent& sent, const Answered& answered, const Element& response) const;
  void check_request(const Sent& sent, const Answered& answered, const Element& operation) const;
  void check_query(const Sent& sent, const Element& operation) const;
  [[nodiscard]] bool has_parameter(const Element& parameters, const http::QueryItem& item) const;

  JsonSchema document_;
  std::set<std::string> seen_;
};

}  // namespace holdfast::test
