#pragma once

#include <atomic>
#include <string>

#include "deliveries/deliverer.hpp"

namespace holdfast::deliveries {

/// What a call of an operation is answered, waited for.
[[nodiscard]] Answer ask(Service& service, Command command, const std::string& tenant);

/// One subscription, served for a while: leased, sent what is new, and given back.
class Round {
 public:
  Round(Service& service, outbound::Client& client, const Options& options,
        const std::atomic<bool>& stopping)
      : service_(service), client_(client), options_(options), stopping_(stopping) {}

  void run(const subscriptions::SubscriptionRow& seen);

 private:
  /// How a delivery went; empty: it was taken in.
  struct Trouble {
    std::string verdict{};
    std::string error{};
  };

  [[nodiscard]] Trouble send_all();
  [[nodiscard]] Trouble send(const Record& record);
  [[nodiscard]] bool tell(const std::string& verdict, const std::string& error = {});

  Service& service_;
  outbound::Client& client_;
  const Options& options_;
  const std::atomic<bool>& stopping_;
  subscriptions::SubscriptionRow row_;
  std::size_t untold_ = 0;  ///< events that were taken in since
};

}  // namespace holdfast::deliveries
