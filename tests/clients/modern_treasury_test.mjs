// One of the many libraries that the same generator makes (OpenAI's and Anthropic's are others):
// it sends a key by itself, and repeats lost calls and every 409 unless told otherwise by
// X-Should-Retry.

import ModernTreasury from 'modern-treasury';
import { Agent, fetch } from 'undici';
import { describe_client, retries } from './support/suite.mjs';

describe_client({
  name: 'modern-treasury',
  chooses_keys: true,
  // The caller reads the body, after the library has done its part.
  gives_up_on: ['answer cut in its body', 'hung in the body'],
  repeats_409: 'unless advised not to',

  connect({ url, patience_ms }) {
    const dispatcher = new Agent({ bodyTimeout: patience_ms }); // its own timeout ends at the head
    const treasury = new ModernTreasury({
      baseURL: url,
      organizationID: 'nobody',
      apiKey: 'none',
      maxRetries: retries,
      timeout: patience_ms,
      fetch,
      fetchOptions: { dispatcher },
    });
    return {
      async post(target, body, key) {
        const asked = treasury.post(target, { body, idempotencyKey: key }).asResponse();
        const answer = await asked.catch((error) => {
          if (!error.status) throw error;
          return { status: error.status, text: async () => JSON.stringify(error.error) };
        });
        return { status: answer.status, text: await answer.text() };
      },
      close: () => dispatcher.destroy(),
    };
  },
});
