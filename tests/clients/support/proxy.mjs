// A TCP proxy that does to each request what a script says, so that a test meets the same faults
// in the same order every time.

import { once } from 'node:events';
import net from 'node:net';
import { pass } from './faults.mjs';
import { parse, read_messages } from './message.mjs';

const loopback = '127.0.0.1';

/** Sends `bytes` to the server; the promise is for its whole answer. */
function forward(port, bytes) {
  return new Promise((resolve, reject) => {
    const server = net.connect(port, loopback, () => server.write(bytes));
    read_messages(server, (answer) => {
      server.destroy();
      resolve(answer);
    });
    server.on('error', reject);
    server.on('close', () => reject(new Error('the server closed without an answer')));
  });
}

/** Sends only `bytes` and hangs up, as if the sender had died there. */
async function forward_part(port, bytes) {
  const server = net.connect(port, loopback, () => server.end(bytes));
  server.resume();
  await once(server, 'close');
}

/**
 * Starts a proxy before the server at `server_url`. The nth request meets the nth fault of `script`
 * (see faults.mjs), those after the last one meet `otherwise`.
 *
 * `attempts` has an entry for each request in order of arrival: the parsed request and, once the
 * server has given one, the parsed answer, whether or not the client was allowed to see it.
 */
export async function start_proxy(server_url, script = [], otherwise = pass) {
  const port = Number(new URL(server_url).port);
  const attempts = [];
  const sockets = new Set();

  const listener = net.createServer((client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    client.on('error', () => {}); // a client that gave up is what some of the tests are about
    read_messages(client, (request) => {
      const attempt = { request: parse(request) };
      const fault = script[attempts.length] ?? otherwise;
      attempts.push(attempt);
      const ask = async () => {
        const answer = await forward(port, request);
        attempt.answer = parse(answer);
        return answer;
      };
      const ask_half = () => forward_part(port, request.subarray(0, request.length - 10));
      Promise.resolve(fault({ client, ask, ask_half })).catch((error) => {
        attempt.error = error;
        client.destroy();
      });
    });
  });
  listener.listen(0, loopback);
  await once(listener, 'listening');

  return {
    url: `http://${loopback}:${listener.address().port}`,
    attempts,
    async stop() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
