import http from 'node:http';
import axios from 'axios';
import axios_retry from 'axios-retry';
import { describe_client, retries } from './support/suite.mjs';

describe_client({
  name: 'axios-retry',
  chooses_keys: false,
  gives_up_on: [],
  repeats_409: 'never',

  connect({ url, patience_ms }) {
    const agent = new http.Agent({ keepAlive: true });
    const client = axios.create({
      baseURL: url,
      httpAgent: agent,
      proxy: false,
      timeout: patience_ms,
      transformResponse: (text) => text, // the bytes, not what they mean
    });
    axios_retry(client, {
      retries,
      retryDelay: () => 50,
      shouldResetTimeout: true,
      // By itself it repeats a POST whose connection broke, but not one that took too long or
      // whose answer broke off after its head.
      retryCondition: (error) =>
        axios_retry.isNetworkOrIdempotentRequestError(error) ||
        error.code === 'ECONNABORTED' ||
        error.response?.status < 400,
    });
    return {
      async post(target, body, key) {
        const options = { headers: { 'Idempotency-Key': key } };
        const answer = await client.post(target, body, options).catch((error) => {
          if (!(error.response?.status >= 400)) throw error;
          return error.response;
        });
        return { status: answer.status, text: answer.data };
      },
      close: () => agent.destroy(),
    };
  },
});
