#pragma once

#include <memory>

#include "effects/job.hpp"
#include "effects/secrets_file.hpp"
#include "outbound/client.hpp"

namespace holdfast::effects {

/// Calls providers over HTTP, and asks them: makes the request that the declaration describes,
/// sends it once, and says what the answer means. Redirects are not followed: they are answers.
///
/// A call is not sent later than its job's lease ends. Where the command's correlation id is a
/// `traceparent` (W3C Trace Context), the request has it as that.
class PushPerformer final : public Performer {
 public:
  /// Both must outlive it, and the client's calls.
  PushPerformer(outbound::Client& client, const SecretsFile& secrets)
      : client_(client), secrets_(secrets) {}

  void perform(const std::shared_ptr<const Job>& job, Done done) override;

 private:
  outbound::Client& client_;
  const SecretsFile& secrets_;
};

}  // namespace holdfast::effects
