#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/shown_store.hpp"
#include "holdfast/commands.hpp"
#include "holdfast/subscriptions.hpp"
#include "holdfast/webhooks.hpp"
#include "settings/setting.hpp"
#include "settings/setting_kinds.hpp"

namespace holdfast::http {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = kib * kib;
constexpr Range<Duration> waiting{milliseconds(1), hours(24)};
constexpr Range<Duration> lasting{Duration(1), hours(24 * 36'600)};
constexpr Range<std::uint64_t> rate{0, 1'000'000'000};
constexpr Range<std::uint64_t> burst{1, 1'000'000'000};

template <typename M>
auto at(M member) {
  return [member](auto& settings) -> auto& { return settings.*member; };
}

template <typename M>
auto in_limits(M member) {
  return [member](auto& settings) -> auto& { return settings.limits.*member; };
}

template <typename M>
auto in_tls(M member) {
  return [member](auto& settings) -> auto& { return settings.tls.*member; };
}

template <typename M>
auto in_outbound(M member) {
  return [member](auto& settings) -> auto& { return settings.outbound.*member; };
}

template <typename M>
auto in_policy(Operation operation, M member) {
  return [ operation, member ](auto& settings) -> auto& {
    return settings.policies[operation].*member;
  };
}

bool is_anything(std::string_view text) { return text.find('\0') == std::string_view::npos; }
bool is_something(std::string_view text) { return !text.empty() && is_anything(text); }

template <typename At>
Setting file_setting(const Words& words, At place) {
  return text_setting(words, place, "the name of a file", is_anything);
}

Setting listen_setting() {
  return text_setting({"listen", "The address to listen on. Port 0 picks a free one and prints it"},
                      at(&Settings::listen),
                      "host:port or [v6]:port, such as 127.0.0.1:8420 or [::1]:8420",
                      is_listen_address);
}

Setting store_setting() {
  Setting setting = text_setting(
      {"store", "The store: a file, made if it does not exist, or the address of a database"},
      at(&Settings::store), "the name of a file, or the address of a database", is_something);
  setting.show = [](const Settings& settings) { return shown_store(settings.store); };
  return setting;
}

Setting conflict_setting() {
  constexpr std::array<std::pair<std::string_view, int>, 2> choices{{{"409", 409}, {"422", 422}}};
  return choice_setting(
      {"conflict_status", "The status of protocol.idempotency_conflict; 422 is the IETF draft's"},
      at(&Settings::conflict_status), choices);
}

Setting log_level_setting() {
  constexpr std::array<std::pair<std::string_view, LogLevel>, 5> choices{
      {{"off", LogLevel::off},
       {"error", LogLevel::error},
       {"warning", LogLevel::warning},
       {"info", LogLevel::info},
       {"debug", LogLevel::debug}}};
  return choice_setting({"log.level", "What is worth a line on the error stream"},
                        at(&Settings::log_level), choices);
}

std::vector<Setting> service_settings() {
  return {
      listen_setting(),
      store_setting(),
      duration_setting({"window", "How long tokens are recognised in a new store",
                        "the store's own; 24h for a new one"},
                       at(&Settings::window), lasting),
      file_setting({"keys", "The file of keys, as `holdfast keys` makes it", "beside the store"},
                   at(&Settings::keys)),
      file_setting({"evidence_key", "The private key that signs evidence, made if it is not there",
                    "beside the store"},
                   at(&Settings::evidence_key)),
      file_setting(
          {"registry", "The file that declares commands; read again on SIGHUP", "no commands"},
          at(&Settings::registry)),
      file_setting({"secrets",
                    "The secrets that the registry names, a line NAME=value each; read again on "
                    "SIGHUP",
                    "no secrets"},
                   at(&Settings::secrets)),
      boolean_setting(
          {"dispatch", "Whether this node sees to effects, and sends events to subscribers"},
          at(&Settings::dispatch)),
      text_setting({"outbound.allow",
                    "Networks, addresses and names of hosts that may be called besides public "
                    "addresses, with commas between them",
                    "public addresses only"},
                   in_outbound(&Outbound::allow),
                   "addresses, networks or names, such as 10.1.0.0/16, billing.internal",
                   is_anything),
      file_setting({"outbound.ca_file", "Whom to trust when other services are called, PEM",
                    "whom the system trusts"},
                   in_outbound(&Outbound::ca_file)),
      count_setting({"threads", "Threads of input and output; the engine has its own"},
                    at(&Settings::threads), {1, 64}),
      conflict_setting(),
      file_setting({"tls.certificate", "The certificate and its chain, PEM", "no TLS"},
                   in_tls(&Tls::certificate)),
      file_setting({"tls.key", "The certificate's private key, PEM", "no TLS"}, in_tls(&Tls::key)),
      file_setting(
          {"tls.client_ca", "Clients must show a certificate that one of these signed, PEM",
           "clients need no certificate"},
          in_tls(&Tls::client_ca)),
      log_level_setting(),
      boolean_setting({"log.requests", "A line at `info` for every request"},
                      at(&Settings::log_requests)),
  };
}

std::vector<Setting> engine_settings() {
  return {
      count_setting({"queue_max", "Calls waiting for the writer; one more is `overloaded`"},
                    at(&Settings::queue_max), {1, 16'777'216}),
      count_setting({"batch_max", "Calls decided together at most"}, at(&Settings::batch_max),
                    {1, 1'048'576}),
      duration_setting({"sweep_every", "How often lapsed holds are swept; 0s: never by itself"},
                       at(&Settings::sweep_every), {Duration::zero(), hours(24)}),
      duration_setting({"duration_min", "The shortest hold"}, at(&Settings::duration_min), lasting),
      duration_setting({"duration_max", "The longest hold"}, at(&Settings::duration_max), lasting),
      duration_setting({"lifetime_max",
                        "The longest life of a hold, extensions included; at least "
                        "duration_max"},
                       at(&Settings::lifetime_max), lasting),
      count_setting({"token_bytes_max", "The longest token"}, at(&Settings::token_bytes_max),
                    {1, 256}),
      duration_setting({"confirmation_lifetime", "How long a confirmation code is good for"},
                       at(&Settings::confirmation_lifetime), lasting),
  };
}

std::vector<Setting> limit_settings() {
  return {
      bytes_setting({"limits.header_bytes_max", "The header of a request"},
                    in_limits(&Limits::header_bytes_max), {kib, mib}),
      bytes_setting({"limits.body_bytes_max", "The body of a request"},
                    in_limits(&Limits::body_bytes_max), {kib, 1024 * mib}),
      bytes_setting({"limits.batch_body_bytes_max", "The body of a batch"},
                    in_limits(&Limits::batch_body_bytes_max), {kib, 1024 * mib}),
      bytes_setting({"limits.webhook_body_bytes_max", "The body of a webhook"},
                    in_limits(&Limits::webhook_body_bytes_max), {kib, 3 * mib / 2}),
      count_setting({"limits.batch_operations_max", "Operations of a batch"},
                    in_limits(&Limits::batch_operations_max), {1, 10'000}),
      count_setting({"limits.json_depth_max", "Arrays and objects within each other"},
                    in_limits(&Limits::json_depth_max), {4, 480}),
      count_setting({"limits.connections_max", "Connections at a time"},
                    in_limits(&Limits::connections_max), {1, 1'000'000}),
      count_setting({"limits.pipeline_max", "Requests of a connection read ahead of their answers"},
                    in_limits(&Limits::pipeline_max), {1, 65'536}),
      count_setting({"limits.event_streams_max", "Connections that follow events"},
                    in_limits(&Limits::event_streams_max), {0, 1'000'000}),
      duration_setting(
          {"limits.header_deadline", "From a request's first byte to its header's end"},
          in_limits(&Limits::header_deadline), waiting),
      duration_setting({"limits.body_deadline", "From there to the request's last byte"},
                       in_limits(&Limits::body_deadline), waiting),
      duration_setting({"limits.idle_deadline", "A connection without a request"},
                       in_limits(&Limits::idle_deadline), waiting),
      duration_setting({"limits.write_deadline", "An answer that nobody reads"},
                       in_limits(&Limits::write_deadline), waiting),
      duration_setting({"limits.stop_deadline", "How long a stop waits for what was accepted"},
                       in_limits(&Limits::stop_deadline), waiting),
      duration_setting({"limits.wait_max", "How long `?wait=` waits for a command at most"},
                       in_limits(&Limits::wait_max), {Duration::zero(), hours(1)}),
      duration_setting(
          {"limits.evidence_deadline", "How long a request for evidence goes on reading records"},
          in_limits(&Limits::evidence_deadline), waiting),
      count_setting({"limits.tenant_rate", "Requests a second of one tenant; 0: no limit"},
                    in_limits(&Limits::tenant_rate), rate),
      count_setting({"limits.tenant_burst", "Requests of one tenant at once, within its rate"},
                    in_limits(&Limits::tenant_burst), burst),
      count_setting({"limits.replay_rate",
                     "Repeated answers a second of one tenant; 0: they count as requests"},
                    in_limits(&Limits::replay_rate), rate),
      count_setting({"limits.replay_burst", "Repeated answers at once, within their rate"},
                    in_limits(&Limits::replay_burst), burst),
      count_setting(
          {"limits.key_replay_rate", "Repeated answers a second of one key, besides; 0: no limit"},
          in_limits(&Limits::key_replay_rate), rate),
      count_setting({"limits.key_replay_burst", "Repeated answers of one key at once"},
                    in_limits(&Limits::key_replay_burst), burst),
  };
}

/// What the service calls itself, whoever else may: with tokens that it makes, and nobody to
/// confirm it.
constexpr std::array called_by_the_service{
    Leasing::operation,      Renewing::operation,     Completing::operation,
    Failing::operation,      InboxLeasing::operation, InboxCompleting::operation,
    InboxFailing::operation, Receiving::operation,    Adopting::operation,
    Serving::operation,      Advancing::operation};

/// Why `key_mode` and `confirmation` are no policies of an operation; empty: they are.
std::string_view why_no_key_policies(Operation operation) {
  if (operation == Submitting::operation)
    return "the registry says for each command whose key it has and whether it is confirmed";
  const bool called = std::find(called_by_the_service.begin(), called_by_the_service.end(),
                                operation) != called_by_the_service.end();
  return called ? "the service calls this operation itself, with keys of its own and nobody to "
                  "confirm it"
                : "";
}

std::vector<Setting> key_policy_settings(const OperationRow& operation) {
  constexpr std::array<std::pair<std::string_view, KeyMode>, 2> modes{
      {{"client", KeyMode::client}, {"derived", KeyMode::derived}}};
  constexpr std::array<std::pair<std::string_view, Confirmation>, 2> confirmations{
      {{"none", Confirmation::none}, {"required", Confirmation::required}}};
  const std::string prefix = policy_section(operation.id) + ".";
  const auto in = [&](auto member) { return in_policy(operation.id, member); };
  return {
      choice_setting({prefix + "key_mode", "The client makes the token, or it is derived"},
                     in(&Policy::key_mode), modes),
      choice_setting({prefix + "confirmation", "Whether a second step with a code is required"},
                     in(&Policy::confirmation), confirmations),
  };
}

std::vector<Setting> policy_settings(const OperationRow& operation) {
  constexpr std::array<std::pair<std::string_view, TokenClass>, 2> classes{
      {{"strict", TokenClass::i1_strict}, {"windowed", TokenClass::i2_windowed}}};
  constexpr std::array<std::pair<std::string_view, OnReject>, 2> rejects{
      {{"record", OnReject::record}, {"release", OnReject::release}}};
  const std::string prefix = policy_section(operation.id) + ".";
  const auto in = [&](auto member) { return in_policy(operation.id, member); };
  return {
      choice_setting({prefix + "class", "Tokens are kept for ever, or for the window"},
                     in(&Policy::token_class), classes),
      duration_setting({prefix + "window", "The window of this operation alone", "`window`"},
                       in(&Policy::window), lasting),
      choice_setting({prefix + "on_reject", "A rejection is recorded, or leaves its token unused"},
                     in(&Policy::on_reject), rejects),
      duration_setting({prefix + "overlap_wait", "How long a duplicate waits for the first call"},
                       in(&Policy::overlap_wait), {Duration::zero(), hours(1)}),
  };
}

void append(std::vector<Setting>& table, std::vector<Setting> rows) {
  std::move(rows.begin(), rows.end(), std::back_inserter(table));
}

std::vector<Setting> make_table() {
  std::vector<Setting> table;
  append(table, service_settings());
  append(table, engine_settings());
  append(table, limit_settings());
  for (const OperationRow& operation : operations()) {
    append(table, policy_settings(operation));
    if (why_no_key_policies(operation.id).empty()) append(table, key_policy_settings(operation));
  }
  return table;
}

std::vector<MissingSetting> make_missing() {
  std::vector<MissingSetting> missing;
  for (const OperationRow& operation : operations()) {
    const std::string_view why = why_no_key_policies(operation.id);
    if (why.empty()) continue;
    for (const Setting& each : key_policy_settings(operation))
      missing.push_back({each.name, each.variable(), why});
  }
  return missing;
}

}  // namespace

std::string Setting::variable() const {
  std::string text = "HOLDFAST_" + name;
  for (char& c : text) {
    c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return text;
}

std::string policy_section(Operation operation) {
  std::string text(name(operation));
  std::replace(text.begin(), text.end(), '.', '_');
  return "policies." + text;
}

const std::vector<Setting>& setting_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

const std::vector<MissingSetting>& missing_settings() {
  static const std::vector<MissingSetting> missing = make_missing();
  return missing;
}

const Setting* setting_named(std::string_view name) {
  for (const Setting& each : setting_table()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace holdfast::http
