import { Agent, RetryAgent, request } from 'undici';
import { describe_client, retries } from './support/suite.mjs';

const broken = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET'];
const too_slow = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

describe_client({
  name: 'undici',
  chooses_keys: false,
  // It asks for the rest of a broken body with Range, which means nothing for a POST, and gives up
  // when it is given the whole.
  gives_up_on: ['answer cut in its body', 'hung in the body'],
  repeats_409: 'never',

  connect({ url, patience_ms }) {
    const agent = new Agent({ headersTimeout: patience_ms, bodyTimeout: patience_ms });
    const dispatcher = new RetryAgent(agent, {
      maxRetries: retries,
      minTimeout: 50,
      maxTimeout: 50,
      methods: ['POST'], // safe with a key; without one it repeats no POST
      errorCodes: [...broken, ...too_slow],
    });
    return {
      async post(target, body, key) {
        const answer = await request(url + target, {
          dispatcher,
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
          body: JSON.stringify(body),
        });
        return { status: answer.statusCode, text: await answer.body.text() };
      },
      close: () => agent.destroy(),
    };
  },
});
