#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"
#include "routes/routes.hpp"

/// The parts the contract is put together from. What a table knows is taken from it: routes from
/// the router, refusals from the rejections, operations and invariants from theirs. Here is only
/// what no table says.
namespace holdfast::http::openapi {

/// A header of an answer, by its name in the table of headers.
struct HeaderUse {
  std::string_view name;
  bool always = true;  ///< false: only some of the answers with this status have it
};

/// What a person has to say of a route.
struct RouteText {
  std::string_view method;
  std::string_view pattern;
  std::string_view id;  ///< `operationId`
  std::string_view tag;
  std::string_view summary;
  std::string_view description;
  std::vector<std::string_view> parameters{};  ///< in the path and the query
  bool key_optional = false;                   ///< of a state change
  bool may_do_nothing = false;                 ///< likewise: then its key stays unused
  std::string_view request{};                  ///< the schema of the body; empty: none is read
  bool request_required = true;
  int status = 200;  ///< of success
  std::string_view success{};
  std::string_view answer{};   ///< the schema of its body, as JSON; or else
  std::string_view content{};  ///< JSON: what there is by media type
  std::vector<HeaderUse> headers{};
  /// A second way to succeed, with another status; 0: there is none.
  int also_status = 0;
  std::string_view also_success{};
  std::string_view also_answer{};  ///< the schema of its body
  std::vector<HeaderUse> also_headers{};
  bool also_changes = false;            ///< it is the answer to a state change, too
  std::string_view missing{};           ///< what `not-known` means here; empty: what the table says
  std::vector<Rejection> rejections{};  ///< besides those that come with the access it needs
};

/// Those of webhooks that come in, and of subscriptions.
[[nodiscard]] std::vector<RouteText> webhook_routes();
[[nodiscard]] std::vector<RouteText> subscription_routes();

/// Every route's text.
[[nodiscard]] const std::vector<RouteText>& route_texts();

/// Whether the route is one state change, with a token of its own.
[[nodiscard]] bool is_change(const Route& route, const RouteText& text);

/// Writes the answers of routes. Those that many routes give alike are written once.
class ResponseWriter {
 public:
  /// The value of `responses` of a route.
  void write(JsonWriter& json, const Route& route, const RouteText& text);
  /// The value of `components.responses`: those given alike, and those that belong to no route.
  void write_shared(JsonWriter& json) const;

 private:
  std::map<std::string, std::string> shared_;  // by name
};

/// The value of `components.headers`, for what `document` refers to so far.
void write_headers(JsonWriter& json, std::string_view document);
/// The value of `components.parameters`.
[[nodiscard]] std::string parameters();
/// The value of `components.schemas`.
[[nodiscard]] std::string schemas();
/// Those of its members that say what is sent to change something.
[[nodiscard]] std::string request_schemas();
/// Those of its members that no table knows, with the former among them.
[[nodiscard]] std::string written_schemas();
/// The `properties` of a leaf of the evidence.
[[nodiscard]] std::string leaf_members();

/// `{"$ref":"#/components/<kind>/<name>"}`
void write_reference(JsonWriter& json, std::string_view kind, std::string_view name);

}  // namespace holdfast::http::openapi
