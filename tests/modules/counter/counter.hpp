#pragma once

#include "domain/members.hpp"
#include "domain/module.hpp"

/// A module to show how one is made: counters, each a number under a name, reset when the time of
/// the last addition is over. The group of a counter is what stands in its name before a slash.
namespace holdfast::counter {

struct Adding {
  static constexpr Operation operation{60};
  std::string name;
  std::int64_t amount = 1;
  Duration lifetime = std::chrono::hours(24);
};

inline constexpr RecordKind added{6001};
inline constexpr RecordKind reset{6002};

struct Counter {
  static constexpr RowSpace space{6001};
  std::string name;
  std::int64_t value = 0;
  std::optional<Instant> expires{};  ///< unset: nothing was added since it was reset

  static const ObjectMembers members;
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// What a record says: what was added, and how the counter stands then.
struct Said {
  Counter then;
  std::int64_t amount = 0;

  static const ObjectMembers members;
};

struct Add {
  static void needs(const Adding& what, Needs& needs) { needs.row(Counter::space, what.name); }
  static Refused decide(const Adding& what, Deciding& deciding);
};
void name_rows(const Record& record, Needs& needs);
std::string_view apply(const Record& record, RowWriter& rows);
void sweep(const WorkingSet& rows, const Due& due, Draft& draft);
std::unique_ptr<ModuleBooks> make_books();

extern const Module module;

}  // namespace holdfast::counter
