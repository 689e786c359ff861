#include "cli/demo.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/shown_store.hpp"
#include "base/time_text.hpp"
#include "cli/arguments.hpp"
#include "cli/demo_proof.hpp"
#include "cli/program.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "store/open.hpp"

namespace holdfast::cli {
namespace {

constexpr std::int64_t clients_max = 5000;

constexpr Lesson lesson{
    .summary = "See a hotel and a storm of flaky clients, on a simulated clock",
    .paragraph =
        "Plays two acts on the real engine and a real file. First a guest, a room and lost "
        "answers,\n"
        "step by step. Then some hundreds of clients who lose answers, repeat themselves, double-\n"
        "click and carry on after the engine restarts. At the end the file is read back and "
        "compared\n"
        "with what the clients were told: exit code 0 only if every change happened exactly once.\n"
        "The store is temporary, unless --store names a file that does not exist yet.",
    .examples =
        "  holdfast demo\n"
        "  holdfast demo --clients 1000 --seed 7\n"
        "  holdfast demo --store demo.db && holdfast audit demo.db"};

struct Arguments {
  std::string seed = "1";
  std::string clients = "300";
};

void print_weather(const Stage& stage, const Tally& tally) {
  Table table({{"WHAT THE NETWORK DID"}, {"CALLS", true}});
  const auto add = [&](const char* what, std::uint64_t number, Colour colour = Colour::plain) {
    table.add({{what}, {number_text(number), colour}});
  };
  add("sent by clients, retries included", tally.sent);
  add("lost on their way to the engine", tally.requests_lost);
  add("doubled on the way, or clicked twice", tally.copies);
  add("reached the engine", tally.arrived);
  add("answered, but the answer was lost", tally.answers_lost);
  add("replayed: the first answer given again", tally.replays, Colour::yellow);
  add("refused: a token used for something else", tally.collisions);
  add("answers that differed from the first", tally.different,
      tally.different == 0 ? Colour::green : Colour::red);
  table.print(stage.context.out);
}

void print_changes(const Stage& stage, const Proof& proof) {
  Table table({{"INTENDED CHANGES"},
               {"INTENDED", true},
               {"DONE", true},
               {"REFUSED", true},
               {"IN THE JOURNAL", true},
               {"MISSING", true},
               {"TWICE", true}});
  const auto verdict = [](std::uint64_t number) {
    return Cell{number_text(number), number == 0 ? Colour::green : Colour::red};
  };
  for (const Comparison& each : proof.changes) {
    table.add({{std::string(name(each.operation))},
               {number_text(each.intended)},
               {number_text(each.done)},
               {number_text(each.refused)},
               {number_text(each.effects)},
               verdict(each.missing),
               verdict(each.surplus)});
  }
  table.print(stage.context.out);
}

void print_ending(const Stage& stage, const Storm& storm, const Proof& proof, bool success) {
  const Output& out = stage.context.out;
  stage.say();
  print_weather(stage, storm.tally());
  stage.say();
  print_changes(stage, proof);
  stage.say();
  const AuditReport& report = proof.verdict.report;
  stage.say(fmt::format(
      "The audit read {} back from the file and found {}.", count_text(report.records, "record"),
      proof.verdict.clean() ? fmt::format("all {} invariants to hold", invariants().size())
                            : count_text(report.violations_total, "violation")));
  stage.say(fmt::format("Without tokens, {} would have been made again.",
                        count_text(storm.tally().doubles_averted, "change")));
  stage.say(success ? out.paint(Colour::green, "Every intended change happened exactly once.")
                    : out.paint(Colour::red, "NOT every change happened exactly once."));
}

std::string body_of(const Storm& storm, const Proof& proof, bool hotel, bool success) {
  const Tally& tally = storm.tally();
  std::uint64_t done = 0;
  std::uint64_t effects = 0;
  for (const Comparison& each : proof.changes) {
    done += each.done;
    effects += each.effects;
  }
  std::string body;
  JsonWriter json(body);
  const auto number = [&](std::string_view key, std::uint64_t value) {
    json.key(key);
    json.integer(static_cast<std::int64_t>(value));
  };
  const auto truth = [&](std::string_view key, bool value) {
    json.key(key);
    json.boolean(value);
  };
  json.begin_object();
  truth("exactly_once", success);
  truth("hotel_as_expected", hotel);
  number("calls_sent", tally.sent);
  number("requests_lost", tally.requests_lost);
  number("copies", tally.copies);
  number("calls_arrived", tally.arrived);
  number("answers_lost", tally.answers_lost);
  number("replays", tally.replays);
  number("collisions", tally.collisions);
  number("answers_different", tally.different);
  number("restarts", tally.restarts);
  number("changes_intended", storm.intents().size());
  number("changes_done", done);
  number("effects", effects);
  number("records", proof.verdict.report.records);
  truth("audit_clean", proof.verdict.clean());
  json.end_object();
  return body;
}

int perform(const Stage& stage, std::size_t clients) {
  auto holdfast = stage.open();
  if (!holdfast) return report(stage.context, store_failure(holdfast.error()));
  const bool hotel = play_hotel(stage, *holdfast);

  stage.say();
  stage.say(stage.context.out.paint(Colour::bold, "Act two: the storm"));
  stage.say(fmt::format(
      "{} want rooms over a network that loses {}% of requests and {}% of answers,\n"
      "delivers some twice and some a minute late. Each repeats itself until it is answered. Half\n"
      "way through, the engine is stopped and started again.",
      count_text(clients, "client"), request_lost_percent, answer_lost_percent));
  stage.context.out.flush();
  Storm storm(stage, clients);
  const auto played = storm.run(*holdfast);
  if (!played) return report(stage.context, store_failure(played.error()));
  { const Holdfast closing = std::move(*holdfast); }
  if (interrupted()) return exit_store;

  const auto proof = prove(stage, storm);
  if (!proof) return report(stage.context, store_failure(proof.error()));
  const bool success = hotel && proof->exactly_once() && storm.tally().different == 0;
  if (stage.context.settings.json) {
    print_json(stage.context.out, {.body = body_of(storm, *proof, hotel, success)});
  } else {
    print_ending(stage, storm, *proof, success);
  }
  return success ? 0 : exit_store;
}

/// A file, or a database with a store in it.
bool is_there(const std::string& store) {
  if (!is_shared(store)) return std::filesystem::exists(store);
  const auto status = store_status(store);
  return status && status->schema != 0;
}

int run(Context& context, const Arguments& arguments) {
  const auto seed = parse_number_argument(arguments.seed, "seed");
  if (!seed || *seed < 0) {
    return report(context,
                  usage_failure(fmt::format("'{}' is not a seed; write a whole number, as in "
                                            "--seed 7",
                                            printable(arguments.seed))));
  }
  const auto clients = parse_number_argument(arguments.clients, "clients");
  if (!clients || *clients < 1 || *clients > clients_max) {
    return report(context, usage_failure(fmt::format("'{}' is not a number of clients; write one "
                                                     "from 1 to {}, as in --clients 300",
                                                     printable(arguments.clients), clients_max)));
  }
  const TempFolder folder;
  std::string store = context.settings.store;
  if (store.empty()) store = (folder.path() / "demo.db").string();
  if (is_there(store)) {
    return report(context, store_failure({fmt::format("{} exists, and the demo would write its own "
                                                      "holds into it; name a new file, or none",
                                                      printable(shown_store(store)))}));
  }
  notice_interrupts();
  const auto noon = parse_rfc3339("2026-01-02T12:00:00Z").value();
  return perform({.context = context,
                  .store = store,
                  .clock = std::make_shared<SettableClock>(noon),
                  .seed = static_cast<std::uint64_t>(*seed)},
                 static_cast<std::size_t>(*clients));
}

}  // namespace

void add_demo(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Options options = program.add("demo", lesson,
                                [arguments](Context& context) { return run(context, *arguments); });
  options.option("--seed", "N", arguments->seed, "The same seed plays the same storm (1)");
  options.option("--clients", "N", arguments->clients, "How many clients, 1 to 5000 (300)");
}

}  // namespace holdfast::cli
