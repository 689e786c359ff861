#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "support/http/checked_calls.hpp"

namespace holdfast::test {

[[nodiscard]] Sent with(Sent sent, const Headers& more);
[[nodiscard]] Sent with_token(Sent sent, const std::string& token);
[[nodiscard]] std::string text_of(const Sent& sent);

/// A service that is led through everything it can answer, each answer held against the document.
/// The parts of the tour may be taken in any order but for those on one store.
class OpenApiTour : public HttpTest {
 protected:
  OpenApiTour();
  ~OpenApiTour() override { let_writer_go(); }

  /// Through a service that is well; on one store, in this order.
  void tour_of_holds();
  void tour_of_resolving(const std::string& verb);
  void tour_of_extending();
  void tour_of_parts_and_cancels();
  void tour_of_groups();
  void tour_of_changing_batches();
  void tour_of_resources();
  void tour_of_batches();
  void tour_of_commands();
  void tour_of_effects();
  void tour_of_registries();
  void tour_of_webhooks();
  void tour_of_the_inbox();
  void tour_of_subscriptions();
  void tour_of_tokens();
  void tour_of_events();
  void tour_of_evidence();
  void tour_of_service();
  void tour_of_other_addresses();

  /// Through what can be wrong with callers; on any store.
  void tour_of_keys_and_nonces();
  void tour_of_unreadable_requests();
  void tour_of_slow_requests();

  /// Each on a store of its own.
  void tour_of_credentials();
  void tour_of_foreign_pages();
  void tour_of_rates();
  void tour_of_policies();
  void tour_of_calls_in_flight();
  void tour_of_overload();
  void read_evidence_in_steps();
  void tour_of_a_failing_disk();

  /// Starts a service on the store of that name.
  void begin(const std::string& store, http::Settings settings = {});
  /// The same store under other settings.
  void go_on(http::Settings settings);

  /// Asks, and checks what is answered.
  Answered ask(const Sent& sent);
  Answered ask_get(const std::string& target, const Headers& headers = {});
  /// With a token of its own.
  Answered ask_fresh(const Sent& sent);
  /// The answer on a connection that has already sent the request.
  Answered hear(const Sent& sent, RawConnection& connection);
  static void expect_code(const Answered& answered, int status, const std::string& code);

  [[nodiscard]] std::string fresh();
  [[nodiscard]] Sent placing(const std::string& duration = "PT15M");
  [[nodiscard]] static Sent resolving(const std::string& id, const std::string& verb,
                                      const std::string& body = {});
  /// Several holds together, of resources nobody else names.
  [[nodiscard]] Sent grouping(const std::string& duration = "PT15M");
  [[nodiscard]] static Sent resolving_group(const std::string& id, const std::string& verb,
                                            const std::string& body = {});
  [[nodiscard]] static Sent declaring(const std::string& name, int capacity);
  /// The id of a hold placed now.
  [[nodiscard]] std::string placed(const std::string& duration = "PT15M");
  /// The id of a hold of some of its own resource.
  [[nodiscard]] std::string placed_some(int quantity);
  [[nodiscard]] std::string confirmed();
  /// The id of a group placed now.
  [[nodiscard]] std::string grouped(const std::string& duration = "PT15M");

  /// A state change that will be done, and another one of the same operation.
  struct Change {
    Sent first;
    Sent other;
    /// What is said of a token that belongs to another request.
    std::string conflict = "protocol.idempotency_conflict";
  };
  /// One of each operation. Some time passes.
  [[nodiscard]] std::vector<Change> changes();
  /// Those of commands.
  void add_command_changes(std::vector<Change>& all);
  /// A command, by entity and action.
  [[nodiscard]] static Sent submitting(const std::string& name, const std::string& args = "{}");
  [[nodiscard]] static Sent on_effect(const std::string& id, const std::string& verb,
                                      const std::string& body = {});
  [[nodiscard]] static Sent leasing(const std::string& kind, int max = 1);
  /// The id of a command in progress, its effect waiting, or leased with the fence 1.
  [[nodiscard]] std::string submitted(const std::string& name);
  [[nodiscard]] std::string leased();

  /// Those of the inbox, and of subscriptions.
  void add_webhook_changes(std::vector<Change>& all);
  void add_subscription_changes(std::vector<Change>& all);
  /// Adds sources of webhooks to the registry, and their secrets to the settings.
  void declare_webhooks(http::Settings& settings) const;
  /// A webhook that is signed now.
  [[nodiscard]] Sent webhook(const std::string& source, const std::string& event,
                             const std::string& body = R"({"data":{"amount":"1"}})") const;
  [[nodiscard]] static Sent on_entry(const std::string& id, const std::string& verb,
                                     const std::string& body = {});
  [[nodiscard]] static Sent leasing_entries(const std::string& kind, int max = 1);
  /// The id of an entry taken in now.
  [[nodiscard]] std::string taken_in(const std::string& source);
  struct LeasedEntry {
    std::string id;
    int fence = 0;
  };
  /// An entry of `payments`, leased.
  [[nodiscard]] LeasedEntry leased_entry();
  /// To events that nobody records, unless told otherwise, so that only the tour serves it.
  [[nodiscard]] Sent subscribing(const std::string& events = "none.");
  [[nodiscard]] static Sent on_subscription(const std::string& id, const std::string& verb,
                                            const std::string& body = {});
  /// The id of a subscription made now; one that is served, too, under the fence 1.
  [[nodiscard]] std::string subscribed();
  [[nodiscard]] std::string served();
  [[nodiscard]] static std::string advancing(int fence, const std::string& verdict = "done");

  /// A request to every address, with nothing in it that would make it succeed.
  [[nodiscard]] std::vector<Sent> everywhere() const;

  /// From now on nothing is written; calls wait.
  void hold_writer() { gate_->held = true; }
  void let_writer_go() { gate_->held = false; }
  /// Until a call waits to be written.
  void wait_for_writer() const;
  /// Until so many calls wait behind it.
  void wait_for_queued(std::size_t calls) const;

  CheckedCalls calls_;

 private:
  struct Gate {
    std::atomic<bool> held{false};
    std::atomic<bool> waiting{false};
  };

  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  int number_ = 0;
};

}  // namespace holdfast::test
