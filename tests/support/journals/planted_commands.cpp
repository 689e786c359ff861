// What can be wrong with commands and effects.

#include <gtest/gtest.h>

#include "modules/commands/details.hpp"
#include "modules/commands/registry_row.hpp"
#include "support/journals/audit.hpp"
#include "support/journals/plants.hpp"
#include "support/stores/command_test.hpp"

namespace holdfast::test {
namespace {

using commands::Shield;

/// Arguments and results that look like what records say themselves.
constexpr const char* confusing =
    R"({"ended":"in_progress","fence":99,"id":"c-0","status":"rejected"})";

/// Writes a history of commands by running them.
class CommandHistoryWriter {
 public:
  CommandHistoryWriter() {
    commands::Declaration note = declared("note", "write");
    note.window = 5min;
    commands::Declaration strict = note;
    strict.action = "reject";
    strict.key = commands::KeyOrigin::derived;
    commands::Declaration parcel = pulled("parcel", "ship", Shield::s1);
    parcel.window = 5min;
    preparer_.put_in_force(
        registry_of({note, strict, parcel, pulled("parcel", "weigh", Shield::s2)}));
  }

  std::string submit(std::string entity, std::string action, std::string token) {
    Call call{.command = Command(Submitting{.entity = std::move(entity),
                                            .action = std::move(action),
                                            .target = confusing,
                                            .args = confusing}),
              .token = Token(std::move(token))};
    preparer_(call);
    return id_of(on.submit(call));
  }

  template <typename P>
  void run(P parameters) {
    const Answer answer =
        on.submit({.command = Command(std::move(parameters)), .token = Token(on.next_token())});
    EXPECT_TRUE(answer.ok()) << test::words(answer);
  }

  void lease() { run(Leasing{.kinds = {"warehouse"}, .max = 10}); }

  Harness on{"memory"};

 private:
  commands::Preparer preparer_{HashKey{1, 2}};
};

History written(CommandHistoryWriter& writer) {
  History history;
  history.records = all_records(writer.on.store());
  history.now = writer.on.now();
  return history;
}

template <typename Said>
std::string text_of(const Said& said) {
  return said.text();
}

std::string text_of(const commands::RegistryRow& row) {
  std::string text;
  JsonWriter json(text);
  row.write(json);
  return text;
}

/// The record's detail, changed.
template <typename Said, typename Change>
void change_detail(Record& record, const Change& change) {
  auto said = Said::read(record.detail);
  ASSERT_TRUE(said) << record.detail;
  change(*said);
  record.detail = text_of(*said);
}

/// The record once more, as the last one and under another token.
Record& repeat_last(History& history, std::size_t seq) {
  Record copy = history.records.at(seq - 1);
  copy.seq = history.records.back().seq + 1;
  copy.at = history.records.back().at;
  copy.token = "once more";
  history.records.push_back(std::move(copy));
  return history.records.back();
}

}  // namespace

History history_of_commands() {
  CommandHistoryWriter writer;
  const std::string one = writer.submit("parcel", "ship", "one");                       // 1
  writer.lease();                                                                       // 2
  writer.run(Renewing{.id = one, .fence = 1, .lease = 1min});                           // 3
  writer.run(Failing{.id = one, .fence = 1, .error = confusing, .result = confusing});  // 4
  writer.run(Retrying{.id = one});                                                      // 5
  writer.lease();                                                                       // 6
  writer.run(Failing{.id = one, .fence = 2, .verdict = "unknown"});                     // 7
  writer.on.advance(2s);
  writer.lease();                                                      // 8
  writer.run(Completing{.id = one, .fence = 3, .result = confusing});  // 9
  (void)writer.submit("note", "write", "two");                         // 10
  (void)writer.submit("note", "reject", "three");                      // 11
  const std::string four = writer.submit("parcel", "weigh", "four");   // 12
  writer.lease();                                                      // 13
  writer.on.advance(30s);
  EXPECT_EQ(writer.on.sweep(), 1U);                                              // 14, failed
  writer.run(Retrying{.id = four});                                              // 15
  writer.run(CancellingEffect{.id = four});                                      // 16
  writer.run(Resolving{.id = four, .status = "executed", .result = confusing});  // 17
  writer.run(Resolving{.id = four, .status = "compensated"});                    // 18
  writer.on.advance(5min);
  (void)writer.submit("note", "write", "two");    // 19, the next one of its key
  (void)writer.submit("parcel", "ship", "open");  // 20
  writer.lease();                                 // 21
  writer.on.advance(30s);
  EXPECT_EQ(writer.on.sweep(), 1U);            // 22, lost
  writer.run(Adopting{std::string(64, 'a')});  // 23
  writer.run(Adopting{std::string(64, 'b')});  // 24
  return written(writer);
}

namespace {

void plant(Plants& plants, std::string name, std::string broken,
           const std::function<void(History&)>& change) {
  plants.add(std::move(name), {std::move(broken)}, [&](History& history) {
    history = history_of_commands();
    change(history);
  });
}

void plant_submissions(Plants& plants) {
  plant(plants, "a_command_executed_twice", "CMD-1", [](History& h) { (void)repeat_last(h, 10); });
  plant(plants, "a_command_accepted_twice", "CMD-1", [](History& h) { (void)repeat_last(h, 12); });
  plant(plants, "a_key_used_afresh_while_in_progress", "CMD-1", [](History& h) {
    Record& again = repeat_last(h, 20);
    again.token = h.records.at(19).token;
    again.at += 10min;
    again.expires_at = again.at + 5min;
    change_detail<commands::Submitted>(again, [&](commands::Submitted& said) {
      const std::string key(commands::row_key_in(said.command.id));
      said.command.use = 2;
      said.command.id = said.effect->id = commands::command_id(key, 2);
    });
  });
}

void plant_strangers(Plants& plants) {
  plant(plants, "a_settled_command_that_nobody_submitted", "CMD-2", [](History& h) {
    change_detail<commands::Settled>(repeat_last(h, 9), [](commands::Settled& said) {
      said.id = commands::command_id(std::string(40, 'a'), 1);
    });
  });
  plant(plants, "a_postponed_effect_of_another_tenant", "CMD-2",
        [](History& h) { repeat_last(h, 4).tenant = "acme"; });
  plant(plants, "a_record_that_names_no_command", "CMD-2",
        [](History& h) { repeat_last(h, 9).detail = "{}"; });
}

void plant_ends(Plants& plants) {
  plant(plants, "a_command_that_ends_twice", "CMD-3", [](History& h) { (void)repeat_last(h, 9); });
  plant(plants, "an_effect_that_moves_after_its_end", "CMD-3", [](History& h) {
    change_detail<commands::Moved>(repeat_last(h, 4),
                                   [](commands::Moved& said) { said.lease.fence = 3; });
  });
  plant(plants, "an_executed_command_that_is_reopened", "CMD-3", [](History& h) {
    change_detail<commands::Moved>(repeat_last(h, 5),
                                   [](commands::Moved& said) { said.lease.fence = 3; });
  });
  plant(plants, "a_command_without_an_effect_that_is_settled", "CMD-3", [](History& h) {
    const std::string id = commands::id_in(h.records.at(9).detail);
    change_detail<commands::Settled>(repeat_last(h, 9), [&](commands::Settled& said) {
      said.id = id;
      said.fence = 0;
    });
  });
  for (const commands::Status status : {commands::Status::in_progress, commands::Status::rejected})
    plant(plants, "a_command_that_ends_" + std::string(commands::name(status)), "CMD-3",
          [&](History& h) {
            const std::string id = commands::id_in(h.records.at(19).detail);
            change_detail<commands::Settled>(repeat_last(h, 9), [&](commands::Settled& said) {
              said.id = id;
              said.fence = 1;
              said.status = status;
            });
          });
  plant(plants, "a_compensated_command_that_is_executed", "CMD-3",
        [](History& h) { (void)repeat_last(h, 17); });
}

void plant_fences(Plants& plants) {
  plant(plants, "a_fence_that_falls", "CMD-4", [](History& h) {
    change_detail<commands::Settled>(h.records.at(8),
                                     [](commands::Settled& said) { said.fence = 1; });
  });
  plant(plants, "a_postponed_effect_with_an_older_fence", "CMD-4", [](History& h) {
    change_detail<commands::Moved>(h.records.at(6),
                                   [](commands::Moved& said) { said.lease.fence = 0; });
  });
}

void plant_registries(Plants& plants) {
  plant(plants, "a_registry_adopted_twice", "CMD-5", [](History& h) { (void)repeat_last(h, 24); });
  plant(plants, "a_registry_that_names_another_before", "CMD-5", [](History& h) {
    change_detail<commands::RegistryRow>(h.records.at(23), [](commands::RegistryRow& said) {
      said.previous = std::string(64, 'c');
    });
  });
  plant(plants, "a_registry_that_names_none_before", "CMD-5", [](History& h) {
    change_detail<commands::RegistryRow>(h.records.at(23),
                                         [](commands::RegistryRow& said) { said.previous = ""; });
  });
}

}  // namespace

void plant_commands(Plants& plants) {
  plant_submissions(plants);
  plant_strangers(plants);
  plant_ends(plants);
  plant_fences(plants);
  plant_registries(plants);
}

}  // namespace holdfast::test
