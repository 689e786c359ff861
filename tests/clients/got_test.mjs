import http from 'node:http';
import got from 'got';
import { describe_client, retries } from './support/suite.mjs';

describe_client({
  name: 'got',
  chooses_keys: false,
  gives_up_on: [],
  repeats_409: 'never',

  connect({ url, patience_ms }) {
    const agent = new http.Agent({ keepAlive: true });
    const client = got.extend({
      prefixUrl: url,
      agent: { http: agent },
      timeout: { request: patience_ms },
      retry: {
        limit: retries,
        methods: ['POST'], // safe with a key; without one it repeats no POST
        calculateDelay: ({ computedValue }) => (computedValue === 0 ? 0 : 50),
      },
    });
    return {
      async post(target, body, key) {
        const options = { json: body, headers: { 'Idempotency-Key': key } };
        const answer = await client.post(target.slice(1), options).catch((error) => {
          if (error.name !== 'HTTPError') throw error;
          return error.response;
        });
        return { status: answer.statusCode, text: answer.body };
      },
      close: () => agent.destroy(),
    };
  },
});
