// Stripe's own library: it sends a key by itself, and repeats lost calls and every 409 unless told
// otherwise by Stripe-Should-Retry.

import http from 'node:http';
import Stripe from 'stripe';
import { describe_client, retries } from './support/suite.mjs';

describe_client({
  name: 'stripe',
  chooses_keys: true,
  // Once the head has arrived it reports a broken body and leaves the rest to the caller.
  gives_up_on: ['answer cut in its body', 'hung in the body'],
  repeats_409: 'unless advised not to',

  connect({ url, patience_ms }) {
    const agent = new http.Agent({ keepAlive: true });
    const sender = Stripe.createNodeHttpClient(agent);
    // It speaks JSON only to addresses under /v2 (forms elsewhere), and ours are under /v1.
    const send = sender.makeRequest.bind(sender);
    sender.makeRequest = (host, port, path, ...rest) =>
      send(host, port, path.replace(/^\/v2\//, '/v1/'), ...rest);

    const { hostname, port } = new URL(url);
    const stripe = new Stripe('sk_test_of_no_account', {
      protocol: 'http',
      host: hostname,
      port,
      httpClient: sender,
      maxNetworkRetries: retries,
      timeout: patience_ms,
      telemetry: false,
    });
    return {
      async post(target, body, key) {
        const path = target.replace(/^\/v1\//, '/v2/');
        const options = key ? { idempotencyKey: key } : {};
        // It hands out the parsed body only; ours has no white space, so this gives back its bytes.
        const answer = await stripe.rawRequest('POST', path, body, options);
        return { status: answer.lastResponse.statusCode, text: JSON.stringify(answer) };
      },
      close: () => agent.destroy(),
    };
  },
});
