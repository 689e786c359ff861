#include "store/mariadb/session.hpp"

// How transactions begin and end.

namespace holdfast::mariadb {

using shared::Expected;

void MariadbSession::begin(Script& script) {
  abandon();
  if (!by_hand_) script.run("SET SESSION autocommit=0");
  by_hand_ = true;
  in_transaction_ = true;
  script.run("START TRANSACTION");
  script.run("SAVEPOINT batch");
}

Expected<void> MariadbSession::finish(Script script) {
  script.run("RELEASE SAVEPOINT batch");
  if (auto done = connection_.run(script); !done) {
    abandon();
    return done;
  }
  in_transaction_ = false;
  claims_.clear();
  return connection_.commit();
}

void MariadbSession::abandon() {
  claims_.clear();
  if (!in_transaction_) return;
  in_transaction_ = false;
  if (!connection_.broken() && !connection_.run("ROLLBACK")) connection_.give_up();
}

Expected<void> MariadbSession::look(const Script& script) {
  if (by_hand_) {
    if (auto done = connection_.run("SET SESSION autocommit=1"); !done) return done;
    by_hand_ = false;
  }
  return connection_.run(script);
}

Expected<void> MariadbSession::look(std::string sql, Script::Take take) {
  Script script;
  script.read(std::move(sql), std::move(take));
  return look(script);
}

}  // namespace holdfast::mariadb
