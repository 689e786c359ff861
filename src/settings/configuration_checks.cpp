#include "settings/configuration_checks.hpp"

#include <fmt/format.h>

namespace holdfast::http {
namespace {

class Checker {
 public:
  Checker(const Configuration& configuration, const std::set<std::string>& wrong)
      : configuration_(configuration), wrong_(wrong) {}

  Errors run() {
    tls();
    durations();
    log();
    policies();
    return std::move(errors_);
  }

 private:
  void tls() {
    const Tls& tls = configuration_.settings.tls;
    const bool certificate = !tls.certificate.empty();
    if (!tls.key.empty() && !certificate) needs("tls.key", "tls.certificate");
    if (certificate && tls.key.empty()) needs("tls.certificate", "tls.key");
    if (!tls.client_ca.empty() && !certificate) needs("tls.client_ca", "tls.certificate");
  }

  void durations() {
    const Settings& settings = configuration_.settings;
    if (settings.duration_min > settings.duration_max)
      clash("duration_min", "is longer than", "duration_max");
  }

  void log() {
    const Settings& settings = configuration_.settings;
    if (!settings.log_requests || settings.log_level >= LogLevel::info) return;
    clash("log.requests", "shows nothing unless log.level is info or debug, not", "log.level");
  }

  /// A window on a strict operation would be forgotten in silence.
  void policies() {
    for (const OperationRow& operation : operations()) {
      const Policy& policy = configuration_.settings.policies[operation.id];
      if (!policy.window || policy.token_class == TokenClass::i2_windowed) continue;
      const std::string section = policy_section(operation.id);
      clash(section + ".window", "has no effect unless class is windowed, not", section + ".class");
    }
  }

  void needs(const std::string& given, const std::string& missing) {
    if (wrong_.contains(missing)) return;
    errors_.push_back(fmt::format("{} needs {}, which is not set", described(given), missing));
  }

  void clash(const std::string& left, std::string_view how, const std::string& right) {
    if (wrong_.contains(left) || wrong_.contains(right)) return;
    errors_.push_back(fmt::format("{} {} {}", described(left), how, described(right)));
  }

  /// `duration_min = 2h (HOLDFAST_DURATION_MIN)`.
  [[nodiscard]] std::string described(const std::string& name) const {
    for (const Effective& each : configuration_.effective) {
      if (each.setting->name != name) continue;
      return fmt::format("{} = {} ({})", name, each.value, each.from);
    }
    return name;
  }

  const Configuration& configuration_;
  const std::set<std::string>& wrong_;
  Errors errors_;
};

}  // namespace

Errors contradictions(const Configuration& configuration, const std::set<std::string>& wrong) {
  return Checker(configuration, wrong).run();
}

}  // namespace holdfast::http
