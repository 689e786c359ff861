#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "domain/deciding.hpp"
#include "domain/module_rows.hpp"
#include "domain/parameter.hpp"
#include "domain/record.hpp"
#include "holdfast/operations.hpp"

/// An operation, whole: everything the program knows of it is in its row. Modules list their rows;
/// `modules/modules.cpp` lists the modules.
namespace holdfast {

/// Is told what rows an operation decides with.
class Needs {
 public:
  virtual ~Needs() = default;
  /// Whose request, or record, it is.
  [[nodiscard]] virtual std::string_view tenant() const = 0;
  virtual void hold(HoldId id) = 0;
  /// Every hold of a group.
  virtual void group(GroupId id) = 0;
  /// A resource, with as many of its lapsed holds as may have to go for that quantity.
  virtual void resource(std::string_view name, std::int64_t quantity) = 0;
  /// A resource with all its lapsed holds.
  virtual void resource_in_full(std::string_view name) = 0;
  /// A row of a module. What is changed must be named here, unless it was loaded as due, or with a
  /// list.
  virtual void row(RowSpace space, std::string_view key) = 0;
  /// The same of a tenant that need not be the request's.
  virtual void row_of(std::string_view tenant, RowSpace space, std::string_view key) = 0;
  /// The first rows of a list that are ready: see `WorkingSet::listed`.
  virtual void list(const RowList& list) = 0;
};

/// Where an operation is asked for over HTTP.
struct Address {
  std::string_view method;
  std::string_view pattern;
  bool configures = false;  ///< for operators; else for clients, too
  int status = 200;         ///< of success

  /// Whether callers may ask for it at all: what has no address is the service's own.
  [[nodiscard]] constexpr bool is_public() const { return !pattern.empty(); }
};

/// Parameters as the contract shows them: a schema with a name, whose members are the fields.
struct Shape {
  std::string_view name{};  ///< empty: there is none
  std::string_view description{};
  std::string_view examples{};  ///< a JSON array
};

/// What people are told of an operation: the words of the contract.
struct Contract {
  std::string_view id;   ///< `operationId`
  std::string_view tag;  ///< the group it stands in
  std::string_view summary;
  std::string_view description;
  std::string_view path{};  ///< the component that describes the parameter in the path
  Shape body{};             ///< of a request of its own
  Shape item{};             ///< of an item of a batch; empty: as the body
  std::string_view success;
  std::string_view answer;  ///< the schema of what is answered
};

/// The command line's words for an operation. Fields that are required are its arguments, the
/// others options.
struct CommandWords {
  std::string_view name{};  ///< empty: no command does just this
  std::string_view summary{};
  std::string_view paragraph{};
  std::string_view examples{};
  std::string_view done{};  ///< said when it was: `{resource}` and `{requester}` are the hold's
};

/// How an operation is answered whose outcome settles later: from the row that its token names,
/// first calls and replays alike. The operation's needs name that row.
struct SettledLater {
  RowSpace space{};
  std::string (*key)(std::string_view tenant, std::string_view token) = nullptr;
  /// What the row says now, of the outcome that was recorded at `seq`.
  void (*tell)(const void* row, std::uint64_t seq, Answer& answer) = nullptr;
};

struct OperationSpec {
  OperationRow row;
  std::span<const Parameter> fields;  ///< in the order in which they are read and checked
  /// Fresh parameters of the operation's type, with their defaults.
  std::shared_ptr<void> (*make)();
  /// The rows it decides with.
  void (*needs)(const void* parameters, Needs& needs);
  /// Refuses, or appends its records, the outcome last. The fields are within their bounds.
  Refused (*decide)(const void* parameters, Deciding& deciding);
  /// What the record of a refusal says of the request, `invalid-request` apart.
  void (*describe)(const void* parameters, Record& record);
  /// What an answer says besides the hold, when it was done; null: nothing.
  void (*answer)(const void* parameters, Answer& answer);
  /// The same, told by the record of it.
  void (*answer_recorded)(const Record& record, Answer& answer);
  /// The answer, when it was done, is the detail of its record.
  bool told = false;
  /// The answer, when it was done, is made from a row, and may change until the row says that it is
  /// settled. Null: an outcome is final when it is recorded.
  const SettledLater* later = nullptr;
  /// Each outcome says in `expires_at` when its token is forgotten; where it does not, never.
  bool own_window = false;
  /// What a refusal does to the token, where that is not the same for all parameters; null: as the
  /// policy says.
  OnReject (*on_reject)(const void* parameters) = nullptr;
  /// What the digest is made of, if it is not the canonical form of the fields.
  const std::string& (*canonical)(const void* parameters) = nullptr;
  /// A call may come without a token: what prepares it finds one.
  bool key_optional = false;
  /// What a call is refused with whose token has another request's outcome.
  Refusal collision{Rejection::token_collision};
  /// Where there is nothing to do it is done without a record, and the token is unused.
  bool may_do_nothing = false;
  /// An answer's document as people are shown it, where that is not all of it.
  std::string (*shown)(std::string_view document) = nullptr;
  /// It can be asked what it would be answered, without doing it.
  bool dry_run = false;
  /// The kind of record that is its outcome when it is done, and others that may be.
  RecordKind done;
  std::span<const RecordKind> done_also{};
  /// What it can be refused for, in order of precedence.
  std::span<const Rejection> refusals;
  Address address;
  Contract contract;
  CommandWords command;

  /// Its parameters as an item of a batch has them.
  [[nodiscard]] const Shape& item() const {
    return contract.item.name.empty() ? contract.body : contract.item;
  }
  /// Whether it makes something that has an address of its own afterwards.
  [[nodiscard]] bool creates() const { return address.status == 201; }
  /// Whether such a record can be its outcome.
  [[nodiscard]] bool ends_in(RecordKind kind) const {
    return kind == done || std::find(done_also.begin(), done_also.end(), kind) != done_also.end();
  }
  [[nodiscard]] bool refuses(Rejection rejection) const {
    for (const Rejection each : refusals) {
      if (each == rejection) return true;
    }
    return false;
  }
};

/// The functions of an operation, by the type of its parameters. `Logic` has the static functions
/// `needs` and `decide`, each taking those parameters; where the record of a refusal says something
/// of the request, also `describe`; where the answer says more than the hold, also `answer`, and
/// `recorded`, which gives back the parameters as far as `answer` needs them.
template <OperationParameters P, typename Logic>
struct OperationOf {
  static std::shared_ptr<void> make() { return std::make_shared<P>(); }
  static void needs(const void* parameters, Needs& needs) { Logic::needs(as(parameters), needs); }
  static Refused decide(const void* parameters, Deciding& deciding) {
    return Logic::decide(as(parameters), deciding);
  }
  static void describe(const void* parameters, Record& record) {
    if constexpr (requires { Logic::describe(as(parameters), record); })
      Logic::describe(as(parameters), record);
  }
  static void answer(const void* parameters, Answer& answer) {
    if constexpr (answers) Logic::answer(as(parameters), answer);
  }
  static void answer_recorded(const Record& record, Answer& answer) {
    if constexpr (answers) Logic::answer(Logic::recorded(record), answer);
  }
  static constexpr bool answers = requires(const P& parameters, Answer& answer) {
    Logic::answer(parameters, answer);
  };

 private:
  static const P& as(const void* parameters) { return *static_cast<const P*>(parameters); }
};

/// The rest of an operation's row, in words.
struct OperationWords {
  std::string_view name;
  Policy policy{};
  std::span<const Parameter> fields;
  bool told = false;
  const SettledLater* later = nullptr;
  bool own_window = false;
  OnReject (*on_reject)(const void* parameters) = nullptr;
  const std::string& (*canonical)(const void* parameters) = nullptr;
  bool key_optional = false;
  Refusal collision{Rejection::token_collision};
  bool may_do_nothing = false;
  std::string (*shown)(std::string_view document) = nullptr;
  bool dry_run = false;
  RecordKind done;
  std::span<const RecordKind> done_also{};
  std::span<const Rejection> refusals;
  Address address;
  Contract contract;
  CommandWords command{};
};

template <OperationParameters P, typename Logic>
[[nodiscard]] constexpr OperationSpec operation(const OperationWords& words) {
  using Functions = OperationOf<P, Logic>;
  return {.row = {P::operation, words.name, words.policy},
          .fields = words.fields,
          .make = Functions::make,
          .needs = Functions::needs,
          .decide = Functions::decide,
          .describe = Functions::describe,
          .answer = Functions::answers ? Functions::answer : nullptr,
          .answer_recorded = Functions::answers ? Functions::answer_recorded : nullptr,
          .told = words.told,
          .later = words.later,
          .own_window = words.own_window,
          .on_reject = words.on_reject,
          .canonical = words.canonical,
          .key_optional = words.key_optional,
          .collision = words.collision,
          .may_do_nothing = words.may_do_nothing,
          .shown = words.shown,
          .dry_run = words.dry_run,
          .done = words.done,
          .done_also = words.done_also,
          .refusals = words.refusals,
          .address = words.address,
          .contract = words.contract,
          .command = words.command};
}

/// Null if no operation has that number.
[[nodiscard]] const OperationSpec* find_spec(Operation id);
/// Of an operation that there is.
[[nodiscard]] const OperationSpec& spec_of(Operation id);

/// The fields in the order of the canonical form.
[[nodiscard]] std::span<const Parameter* const> canonical_fields(Operation id);

/// The hold that a command names; ordinal 0 if it names none.
[[nodiscard]] HoldId hold_named_by(const Command& command);

}  // namespace holdfast
