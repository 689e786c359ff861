#include "store/postgres/connection.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::postgres {
namespace {

/// How long the server may take for one round trip. It limits its own statements to less.
constexpr std::chrono::seconds round_trip_max{12};

/// What sessions of ours are like: rows are found through their keys, whatever the planner thinks
/// of tables it has not looked at yet; a client that went away does not keep its locks; a commit
/// that is answered is on disk, whatever the role or the server has for a default.
constexpr const char* session_settings =
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;"
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off';"
    "SET client_min_messages = warning; SET standard_conforming_strings = on;"
    "SET statement_timeout = '10s'; SET lock_timeout = '5s';"
    "SET idle_in_transaction_session_timeout = '20s';"
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;"
    "SET enable_bitmapscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan;";

std::string one_line(std::string_view text) {
  std::string out;
  for (const char each : text) {
    if (each != '\n') out += each;
    if (each == '\n' && !out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// What the server says of an error, without its DETAIL: that may quote rows, and this is logged.
std::string text_of(const PGresult* result) {
  std::string text;
  for (const char part : {PG_DIAG_SEVERITY, PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_MESSAGE_HINT}) {
    const char* const said = PQresultErrorField(result, part);
    if (said == nullptr) continue;
    if (!text.empty()) text += part == PG_DIAG_MESSAGE_PRIMARY ? ": " : ". ";
    text += one_line(said);
  }
  return text.empty() ? one_line(PQresultErrorMessage(result)) : text;
}

bool starts_with_any(std::string_view state, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (state.starts_with(prefix)) return true;
  }
  return false;
}

/// There is no such statement, there is one already, or its plan is no longer any good.
bool lost_statements(std::string_view state) {
  return starts_with_any(state, {"26000", "42P05", "0A000"});
}

/// By SQLSTATE. HF001 is our own: a statement changed another number of rows than it had to.
Trouble trouble_of(std::string_view state) {
  if (starts_with_any(state, {"40001", "40P01", "55P03", "23505", "23503", "HF001"}))
    return Trouble::again;
  // Connections, resources, operator intervention; a server that has become a standby; a session
  // that is not the one our statements were prepared in.
  if (state.empty() || starts_with_any(state, {"08", "53", "57", "58", "25006", "25P03", "XX"}) ||
      lost_statements(state)) {
    return Trouble::lost;
  }
  return Trouble::refused;
}

bool ends_connection(std::string_view state) {
  return state.empty() || lost_statements(state) ||
         starts_with_any(state, {"08", "57P", "25006", "25P03", "58", "XX"});
}

}  // namespace

Expected<Connection> Connection::open(const std::string& settings) {
  Connection connection;
  connection.raw_.reset(PQconnectdb(settings.c_str()));
  PGconn* const raw = connection.raw_.get();
  if (PQstatus(raw) != CONNECTION_OK) {
    const std::string text = one_line(PQerrorMessage(raw));
    // libpq keeps no SQLSTATE of a failed attempt; what it says is all there is.
    const bool refused = PQconnectionNeedsPassword(raw) != 0 ||
                         text.find("authentication failed") != std::string::npos ||
                         text.find("does not exist") != std::string::npos ||
                         text.find("no pg_hba.conf entry") != std::string::npos ||
                         text.find("permission denied") != std::string::npos;
    return tl::unexpected(Fault{refused ? Trouble::refused : Trouble::lost, text});
  }
  PQsetNoticeReceiver(
      raw,
      [](void* warning, const PGresult* notice) {
        static_cast<std::string*>(warning)->assign(one_line(PQresultErrorMessage(notice)));
      },
      connection.warning_.get());
  if (auto set = connection.script(session_settings); !set) return tl::unexpected(set.error());
  PQsetnonblocking(raw, 1);
  return connection;
}

bool Connection::in_transaction() const { return PQtransactionStatus(raw_.get()) != PQTRANS_IDLE; }

std::string Connection::server_version() const {
  const char* const version = PQparameterStatus(raw_.get(), "server_version");
  return fmt::format("PostgreSQL {}", version == nullptr ? "?" : version);
}

std::string Connection::quoted(const std::string& name) const {
  char* const made = PQescapeIdentifier(raw_.get(), name.data(), name.size());
  if (made == nullptr) return "\"\"";
  std::string out(made);
  PQfreemem(made);
  return out;
}

Expected<void> Connection::script(const std::string& sql) {
  const Result result(PQexec(raw_.get(), sql.c_str()));
  if (PQstatus(raw_.get()) != CONNECTION_OK) return tl::unexpected(gone(false));
  if (!result.done()) return tl::unexpected(fault_of(result.raw(), false));
  return {};
}

void Connection::queue(const Statement& statement, Parameters parameters) {
  const auto same = [&](const Queued& each) { return each.statement == &statement; };
  const bool known = prepared_.find(statement.name) != prepared_.end() ||
                     std::any_of(queue_.begin(), queue_.end(), same);
  queue_.push_back({&statement, std::move(parameters), !known});
}

bool Connection::send(const Queued& queued) {
  const Statement& statement = *queued.statement;
  if (queued.prepares) {
    if (PQsendPrepare(raw_.get(), statement.name.c_str(), statement.sql.c_str(), 0, nullptr) == 0)
      return false;
  }
  const auto& values = queued.parameters.values_;
  std::vector<const char*> data(values.size());
  std::vector<int> sizes(values.size());
  const std::vector<int> formats(values.size(), 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    data[i] = values[i] ? values[i]->data() : nullptr;
    sizes[i] = values[i] ? static_cast<int>(values[i]->size()) : 0;
  }
  return PQsendQueryPrepared(raw_.get(), statement.name.c_str(), static_cast<int>(values.size()),
                             data.data(), sizes.data(), formats.data(), 1) != 0;
}

bool Connection::wait(short events, Deadline deadline) {
  using std::chrono::milliseconds;
  pollfd descriptor{.fd = PQsocket(raw_.get()), .events = events, .revents = 0};
  const auto left =
      std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
  if (left.count() <= 0) return false;
  const int ready = ::poll(&descriptor, 1, static_cast<int>(left.count()));
  return ready > 0 || (ready < 0 && errno == EINTR);
}

/// Both ways at once: a server whose answers nobody takes does not read either.
bool Connection::flush(Deadline deadline) {
  while (true) {
    const int left = PQflush(raw_.get());
    if (left < 0) return false;
    if (left == 0) return true;
    if (!wait(POLLIN | POLLOUT, deadline)) return false;
    if (PQconsumeInput(raw_.get()) == 0) return false;
  }
}

bool Connection::receive(Deadline deadline) {
  while (PQisBusy(raw_.get()) != 0) {
    if (!wait(POLLIN, deadline)) return false;
    if (PQconsumeInput(raw_.get()) == 0) return false;
  }
  return true;
}

Fault Connection::gone(bool commits) {
  broken_ = true;
  std::string text = one_line(PQerrorMessage(raw_.get()));
  if (text.empty()) text = "the database did not answer in time";
  if (commits) return {Trouble::unknown, text + "; whether it had committed is not known"};
  return {Trouble::lost, std::move(text)};
}

Fault Connection::fault_of(const PGresult* result, bool committing) {
  const char* const field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string state = field == nullptr ? "" : field;
  Trouble trouble = trouble_of(state);
  if (ends_connection(state)) broken_ = true;
  // The server went down while it waited for the disk or for a standby: either may have come.
  if (committing && trouble == Trouble::lost) trouble = Trouble::unknown;
  return {trouble, fmt::format("{} (SQLSTATE {})", text_of(result), state)};
}

Expected<std::vector<Result>> Connection::run(bool commits) {
  const std::vector<Queued> queue = std::move(queue_);
  queue_.clear();
  if (broken_) return tl::unexpected(Fault{Trouble::lost, "the connection was lost"});
  PGconn* const raw = raw_.get();
  const auto deadline = std::chrono::steady_clock::now() + round_trip_max;
  warning_->clear();
  bool sent = PQenterPipelineMode(raw) != 0;
  for (const Queued& each : queue) sent = sent && send(each);
  if (!sent) return tl::unexpected(gone(false));  // no sync, so no COMMIT was carried out
  if (PQpipelineSync(raw) == 0 || !flush(deadline)) return tl::unexpected(gone(commits));

  std::vector<Result> results;
  std::optional<Fault> fault;
  // Each statement gives its results and then a null; preparing counts as one.
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (int part = queue[i].prepares ? 0 : 1; part < 2; ++part) {
      while (true) {
        if (!receive(deadline)) return tl::unexpected(gone(commits && !fault));
        PGresult* const result = PQgetResult(raw);
        if (result == nullptr) break;
        Result holder(result);
        const ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_FATAL_ERROR && !fault) {
          // Without a state it is libpq's own, and says nothing of what the server did.
          const bool from_server = PQresultErrorField(result, PG_DIAG_SQLSTATE) != nullptr;
          const bool last = i + 1 == queue.size();
          fault = fault_of(result, commits && (last || !from_server));
        } else if (status == PGRES_TUPLES_OK || (status == PGRES_COMMAND_OK && part == 1)) {
          results.push_back(std::move(holder));
        }
        if (status == PGRES_COMMAND_OK && part == 0) prepared_.emplace(queue[i].statement->name);
      }
      if (PQstatus(raw) != CONNECTION_OK) {
        const Fault lost = gone(commits);
        return tl::unexpected(fault ? *fault : lost);
      }
    }
  }
  if (!receive(deadline)) {
    const Fault lost = gone(commits);
    return tl::unexpected(fault ? *fault : lost);
  }
  const Result sync(PQgetResult(raw));
  if (PQexitPipelineMode(raw) == 0) broken_ = true;
  if (fault) return tl::unexpected(std::move(*fault));
  if (results.size() != queue.size()) return tl::unexpected(gone(commits));
  if (commits && results.back().command() != "COMMIT") {
    return tl::unexpected(Fault{Trouble::again, "the transaction was rolled back"});
  }
  if (commits && !warning_->empty()) {
    broken_ = true;
    return tl::unexpected(Fault{Trouble::unknown, *warning_});
  }
  return results;
}

}  // namespace holdfast::postgres
