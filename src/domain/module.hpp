#pragma once

#include <memory>
#include <span>
#include <vector>

#include "domain/kind.hpp"
#include "domain/member.hpp"
#include "domain/module_books.hpp"
#include "domain/module_state.hpp"
#include "domain/operation.hpp"

namespace holdfast {

/// What was loaded as due: earliest first, of all modules. A row may have been changed or removed
/// by the batch since.
struct Due {
  std::span<const std::uint64_t> holds{};  ///< lapsed ones
  std::span<const RowName> rows{};
  /// Where a module names rows that it has to change with one that is due, and that are not loaded:
  /// it passes that one over, and finds them loaded the next time.
  std::vector<OwnedRowName>* missing = nullptr;
};

/// A read of rows over HTTP: one by its key, which is the last member of the path, or the rows of
/// one parent, which a member of the query names.
struct RowRead {
  std::string_view pattern;
  RowSpace space{};
  std::string_view parent{};  ///< the member of the query; empty: it is a read of one
  /// What people see of a row: an object. Null: the row as it is written.
  void (*show)(std::string_view key, const void* row, JsonWriter& json) = nullptr;
  std::string_view id;  ///< `operationId`, as all that follows for the contract
  std::string_view tag;
  std::string_view summary;
  std::string_view description;
  std::string_view argument;  ///< the component that describes the key, or the parent
  std::string_view success;
  std::string_view answer;  ///< the schema of what is answered; of a list: of its page
};

/// The schema of an object, by its members; or of a page of a list, by the schema of its items.
struct ObjectShape {
  std::string_view name;
  std::string_view description;
  ObjectMembers members{};
  std::string_view items{};     ///< of a page
  std::string_view examples{};  ///< a JSON array
};

/// What the contract says of a parameter in a path or a query.
struct Argument {
  enum Place : std::uint8_t { path, query };

  std::string_view component;  ///< what operations and reads call it
  std::string_view name;
  Place place = path;
  std::string_view description;
  std::string_view example;
};

/// What a module adds to the contract that does not follow from its operations and reads. What its
/// tables cannot say is in members of objects, and tags, as JSON.
struct ContractParts {
  std::string_view tags{};
  std::span<const Argument> arguments{};
  std::span<const ObjectShape> shapes{};
  std::string_view parameters{};
  std::string_view schemas{};
};

/// A kind of thing that Holdfast keeps, with everything that can be done to it. What a module does
/// not need it leaves out.
struct Module {
  std::string_view name;
  std::span<const OperationSpec> operations;
  std::span<const KindRow> kinds;

  // Rows.
  std::span<const RowKind> rows{};
  /// Names the rows that a record changes; for records that come from elsewhere. Each by its name:
  /// a list may look otherwise by then.
  void (*needs)(const Record& record, Needs& needs) = nullptr;
  /// What a record does to rows, all or nothing: see `change_rows`.
  std::string_view (*apply)(const Record& record, RowWriter& rows) = nullptr;
  /// The class of its resident state; null: `RowTable`.
  std::unique_ptr<ModuleState> (*state)() = nullptr;
  /// Appends the records of what the clock alone makes due. Null: nothing.
  void (*sweep)(const WorkingSet& rows, const Due& due, Draft& draft) = nullptr;

  // Invariants.
  std::span<const InvariantRow> invariants{};
  std::unique_ptr<ModuleBooks> (*books)() = nullptr;
  /// The same as SQL: a view `audit_<id>` for each, empty when all is well; see `sql_words.hpp`.
  std::string_view views{};

  // Surface.
  /// The detail of a record as people are shown it, where that is not all of it; null: it is.
  std::string (*shown)(std::string_view detail) = nullptr;
  std::span<const RowRead> reads{};
  ContractParts contract{};
};

/// All of them, in order. The list is in `modules/modules.cpp`.
[[nodiscard]] std::span<const Module* const> modules();

/// The module that a kind of record belongs to; null of the journal's own.
[[nodiscard]] const Module* module_of(RecordKind kind);

/// Names the rows that a record changes, if it is a module's.
void tell_rows_of(const Record& record, Needs& needs);

}  // namespace holdfast
