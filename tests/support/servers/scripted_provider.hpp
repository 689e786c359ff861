#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "support/servers/loopback_listener.hpp"

namespace holdfast::test {

/// What a provider does about a call besides what it is asked to.
enum class Trouble {
  none,
  dies_before,     ///< it closes the connection, and did nothing
  acts_and_dies,   ///< it does it, and closes the connection without a word
  hangs,           ///< it does nothing, and says nothing until it is released
  acts_and_hangs,  ///< it does it, and says nothing until it is released
  garbage,         ///< it does it, and what it says is no HTTP
  twice,           ///< it does it, and answers twice
  fails_after,     ///< it does it, and a proxy says 503
  fails_before,    ///< it does nothing, and says 500
  turns_away,      ///< 429
  refuses,         ///< 422
  slow,            ///< it does it, and takes a while
};

/// A provider over HTTP that counts what it is asked, by key, and misbehaves as told.
///
///     POST   /charges        does it; the key is in Idempotency-Key, or in X-Key
///     GET    /charges/KEY    200 if it did it, 404 if not
///     GET    /list/KEY       {"data":[{"id":"KEY.1"},…]}: what it did under that key
///     POST   /refunds        undoes {"id":"KEY.n"}
///
/// With an `Idempotency-Key` it does a thing once, and answers the same again.
class ScriptedProvider {
 public:
  /// Asked before each call to /charges: the key, and the how-manieth with it this is.
  using Script = std::function<Trouble(const std::string& key, int call)>;
  struct Seen {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::string body;
  };

  explicit ScriptedProvider(Script script = {});
  ~ScriptedProvider();

  [[nodiscard]] std::string url() const { return listener_.url(); }

  /// How often it was called with the key; how often it acted and did not undo it.
  [[nodiscard]] int calls(const std::string& key) const;
  [[nodiscard]] int effects(const std::string& key) const;
  [[nodiscard]] int questions(const std::string& key) const;
  [[nodiscard]] int refunds() const;
  /// The most calls that were under way at once.
  [[nodiscard]] int busiest() const;
  [[nodiscard]] std::vector<Seen> seen() const;
  void set_script(Script script);
  /// From now on probes and lists answer 500; or again what they know.
  void stop_telling(bool stopped);
  /// Lets whoever hangs go, and whoever will.
  void release();
  void wait_for_calls(int count) const;

 private:
  void serve(int socket);
  [[nodiscard]] std::string answer(const Seen& request, bool& closes);
  [[nodiscard]] std::string charge(const Seen& request, bool& closes);
  [[nodiscard]] std::string refund(const Seen& request);
  [[nodiscard]] std::string ask(const Seen& request);
  void act(const std::string& key, bool once);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // Guarded by mutex_.
  Script script_;
  std::map<std::string, int> calls_;
  std::map<std::string, int> questions_;
  std::map<std::string, int> made_;
  std::map<std::string, std::set<std::string>> effects_;
  std::vector<Seen> seen_;
  int refunds_ = 0;
  int all_calls_ = 0;
  int under_way_ = 0;
  int busiest_ = 0;
  bool released_ = false;
  bool untold_ = false;

  LoopbackListener listener_;  // the last: it ends first
};

}  // namespace holdfast::test
