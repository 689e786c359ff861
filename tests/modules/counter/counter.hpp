#pragma once

#include "domain/module.hpp"

/// A module to show how one is made, and to test what carries it: counters, each a number under a
/// name. What is added is good for a while; when the time of the last addition is over, the counter
/// is reset. The counters of a group are those whose names begin with it and a slash. Whoever takes
/// some of them has them to himself for a while: until then, or until something is added, they are
/// not ready to be taken again.
namespace holdfast::counter {

struct Adding {
  static constexpr Operation operation{60};
  std::string name;
  std::int64_t amount = 1;
  Duration lifetime = std::chrono::hours(24);
};

/// The first counters of a group that are ready, of any tenant.
struct Taking {
  static constexpr Operation operation{61};
  std::string group;
  std::string tenant;
  std::int64_t count = 1;
  Duration pause = std::chrono::hours(24);
};

struct Removing {
  static constexpr Operation operation{62};
  std::string name;
};

inline constexpr RecordKind added{6001};
inline constexpr RecordKind reset{6002};
inline constexpr RecordKind taken{6003};
inline constexpr RecordKind removed{6004};

struct Counter {
  static constexpr RowSpace space{6001};
  std::int64_t value = 0;
  std::optional<Instant> expires{};  ///< unset: nothing was added since it was reset
  std::optional<Instant> ready{};    ///< when it can be taken; unset: at once

  void write(JsonWriter& json) const;
  [[nodiscard]] static std::optional<Counter> read(std::string_view json);
  [[nodiscard]] RowIndex index(std::string_view name) const;
};

/// What a record says: which counter, what was added, and how the counter stands then.
struct Said {
  std::string name;
  std::int64_t amount = 0;
  Counter then;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Said> read(std::string_view detail);
};

/// What the record of a taking says: which counters, and when they are ready again.
struct Took {
  std::vector<std::string> names;
  Instant ready;
  std::string tenant;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Took> read(std::string_view detail);
};

struct Add {
  static void needs(const Adding& what, Needs& needs) { needs.row(Counter::space, what.name); }
  static Refused decide(const Adding& what, Deciding& deciding);
  static void describe(const Adding&, Record&) {}
};

struct Take {
  static void needs(const Taking& what, Needs& needs) {
    needs.list({Counter::space, what.tenant, what.group, static_cast<std::size_t>(what.count)});
  }
  static Refused decide(const Taking& what, Deciding& deciding);
  static void describe(const Taking&, Record&) {}
};

struct Remove {
  static void needs(const Removing& what, Needs& needs) { needs.row(Counter::space, what.name); }
  static Refused decide(const Removing& what, Deciding& deciding);
  static void describe(const Removing&, Record&) {}
};

void name_rows(const Record& record, Needs& needs);
std::string_view apply(const Record& record, RowWriter& rows);
void sweep(const WorkingSet& rows, const Due& due, Draft& draft);
void show(std::string_view name, const void* row, JsonWriter& json);
std::unique_ptr<ModuleBooks> make_books();

extern const Module module;

}  // namespace holdfast::counter
