#include "support/effects/world.hpp"

#include <gtest/gtest.h>

#include "modules/commands/template.hpp"
#include "schema/schema.hpp"
#include "store/open.hpp"
#include "support/journals/audit.hpp"
#include "support/rules.hpp"

namespace holdfast::test {
namespace {

using commands::Declaration;
using commands::Effect;
using commands::EffectKind;
using commands::Shield;

void parse(commands::RequestTemplate& request, std::string_view key_header = {}) {
  auto parsed = commands::ParsedRequest::parse(request, key_header);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().member << " " << parsed.error().text;
    std::abort();
  }
  request.parsed = std::move(*parsed);
}

std::shared_ptr<const schema::Schema> args_schema() {
  auto read = schema::Schema::compile(
      R"({"type":"object","properties":{"card":{"type":"string","secret":true}}})");
  if (!read) {
    ADD_FAILURE() << "the schema of the arguments cannot be read";
    std::abort();
  }
  return std::move(*read);
}

commands::Probe probe_of(const Pays& pays, Shield shield) {
  const bool lists = shield == Shield::s4;
  commands::Probe probe;
  probe.request = {.method = "GET", .url = pays.url + (lists ? "/list/{key}" : "/charges/{key}")};
  if (lists) {
    probe.list = "/data";
    probe.id = "/id";
  }
  parse(probe.request);
  return probe;
}

Effect effect_of(const Pays& pays, Shield shield) {
  Effect effect;
  effect.kind = EffectKind::push;
  effect.shield = shield;
  effect.provider = "payer";
  effect.request = {.method = "POST",
                    .url = pays.url + "/charges",
                    .headers = {{"Authorization", "Bearer {secret.CARD_TOKEN}"}}};
  if (shield != Shield::s1) effect.request.headers.emplace_back("X-Key", "{key}");
  parse(effect.request, shield == Shield::s1 ? effect.key_header : "");
  effect.timeout = pays.timeout;
  effect.lease = pays.lease;
  effect.attempts_max = pays.attempts_max;
  effect.backoff = std::chrono::milliseconds(2);
  effect.backoff_max = std::chrono::milliseconds(20);
  if (shield == Shield::s3 || shield == Shield::s4) effect.probe = probe_of(pays, shield);
  return effect;
}

void add(commands::Registry& registry, Declaration declaration) {
  declaration.command_class = declaration.effect.kind == EffectKind::none
                                  ? commands::CommandClass::i1
                                  : commands::CommandClass::i3;
  const std::string name = declaration.name();
  registry.commands[name] = std::make_shared<const Declaration>(std::move(declaration));
}

}  // namespace

std::shared_ptr<commands::Registry> registry_of(const Pays& pays) {
  auto registry = std::make_shared<commands::Registry>();
  registry->digest = "a registry of tests";
  for (const Shield shield : {Shield::s1, Shield::s2, Shield::s3, Shield::s4}) {
    Declaration command{.entity = "pay", .action = {}};
    command.action = fmt::format("s{}", static_cast<int>(shield));
    command.args = args_schema();
    command.effect = effect_of(pays, shield);
    if (shield == Shield::s4) command.compensation = commands::Compensation{"refund", "do"};
    add(*registry, std::move(command));
  }
  Declaration refund{.entity = "refund", .action = "do"};
  refund.effect = effect_of(pays, Shield::s1);
  refund.effect.request = {.method = "POST", .url = pays.url + "/refunds"};
  parse(refund.effect.request, refund.effect.key_header);
  add(*registry, std::move(refund));
  add(*registry, {.entity = "free", .action = "do"});
  registry->providers["payer"] = {.name = "payer",
                                  .concurrency_max = pays.concurrency_max,
                                  .circuit_failures = pays.circuit_failures,
                                  .circuit_pause = pays.circuit_pause};
  return registry;
}

Call pay(const std::string& shield, const std::string& key, std::string tenant) {
  Caller caller;
  if (!tenant.empty()) caller.tenant = std::move(tenant);
  return {.command = Command(Submitting{.entity = "pay", .action = shield}),
          .token = Token(key),
          .caller = caller};
}

std::shared_ptr<commands::Preparer> preparer_of(
    std::shared_ptr<const commands::Registry> registry) {
  auto preparer = std::make_shared<commands::Preparer>(HashKey{1, 2});
  preparer->put_in_force(std::move(registry));
  return preparer;
}

Hands::Hands(Service& service, std::shared_ptr<const commands::Preparer> preparer,
             const std::string& secrets_file, const Wrap& wrap, Duration stop_limit)
    : secrets_(secrets_file) {
  EXPECT_TRUE(secrets_.read()) << "the file of secrets";
  outbound::Options calling;
  calling.allowed = {"127.0.0.1"};
  auto client = outbound::Client::make(std::move(calling));
  if (!client) {
    ADD_FAILURE() << client.error();
    std::abort();
  }
  client_ = std::move(*client);
  std::shared_ptr<effects::Performer> push =
      std::make_shared<effects::PushPerformer>(*client_, secrets_);
  if (wrap) push = wrap(std::move(push));
  effects::DispatcherOptions options;
  options.performers.push = std::move(push);
  options.look_every = std::chrono::milliseconds(5);
  options.stop_limit = stop_limit;
  options.log = [this](const std::string& line) {
    const std::lock_guard lock(mutex_);
    log_.push_back(line);
  };
  dispatcher_ =
      std::make_unique<effects::Dispatcher>(service, std::move(preparer), std::move(options));
}

std::vector<std::string> Hands::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

void Hands::stop() {
  dispatcher_->stop();
  client_->stop();
}

Node::Node(const std::string& store, std::shared_ptr<const commands::Registry> registry,
           Options options)
    : preparer_(preparer_of(std::move(registry))) {
  StoreOptions wanted;
  wanted.store = store;
  wanted.rules = short_rules({});
  wanted.window = wanted.rules.window;
  wanted.observer = options.observer;
  auto opened = open_store(std::move(wanted));
  if (!opened) {
    ADD_FAILURE() << "cannot open " << store << ": " << opened.error().message;
    std::abort();
  }
  ServiceOptions serving;
  serving.sweep_every = options.sweep_every;
  serving.observer = options.observer;
  serving.prepare = [this](Call& call) { (*preparer_)(call); };
  serving.on_batch = [this](const BatchReport& batch) {
    if (effects::Dispatcher* const dispatcher = told_) dispatcher->note(batch);
  };
  service_ = std::make_unique<Service>(std::move(*opened), system_random(), std::move(serving));
  if (!options.dispatches) return;
  hands_ = std::make_unique<Hands>(*service_, preparer_, options.secrets_file, options.wrap,
                                   options.stop_limit);
  told_ = &hands_->dispatcher();
}

Node::~Node() { stop(); }

void Node::stop() {
  if (hands_) hands_->stop();
  service_->stop();
}

Answer Node::submit(Call call) {
  std::promise<Answer> given;
  service_->submit(std::move(call), [&](Answer answer) { given.set_value(std::move(answer)); });
  return given.get_future().get();
}

std::optional<commands::CommandRow> Node::command(const std::string& key,
                                                  const std::string& tenant) const {
  auto page = service_->store().rows(
      tenant, {.space = commands::CommandRow::space, .key = commands::row_key(tenant, key)});
  if (!page || page->items.empty()) return std::nullopt;
  return *static_cast<const commands::CommandRow*>(page->items.front().row.value.get());
}

commands::CommandRow Node::outcome(const std::string& key, const std::string& tenant) const {
  while (true) {
    auto found = command(key, tenant);
    if (found && !found->open()) return *found;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

commands::CommandRow Node::run(const std::string& shield, const std::string& key) {
  const Answer answer = submit(pay(shield, key));
  EXPECT_TRUE(answer.ok()) << answer.text() << " " << answer.document;
  return outcome(key);
}

void Node::put_in_force(std::shared_ptr<const commands::Registry> registry) {
  preparer_->put_in_force(std::move(registry));
}

std::string Node::journal() const {
  std::string text;
  for (const Record& each : all_records(service_->store())) text += each.detail + "\n";
  return text;
}

}  // namespace holdfast::test
