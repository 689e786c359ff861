// Our signatures, through signatures_worker: one call after the other, answers in their order.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import readline from 'node:readline';

export function start_signatures() {
  const worker = spawn(process.env.HOLDFAST_SIGNATURES_WORKER, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(worker, 'exit');
  const lines = readline.createInterface(worker.stdout)[Symbol.asyncIterator]();

  const call = async (...fields) => {
    worker.stdin.write(fields.join('\t') + '\n');
    const { value, done } = await lines.next();
    if (done) throw new Error(`the worker ended with ${(await exited)[0]}`);
    const [status, ...answer] = value.split('\t');
    return status === 'ok' ? answer : { refused: answer[0] };
  };
  const hex = (body) => Buffer.from(body).toString('hex');
  const microseconds = (date) => `${date.getTime()}000`;

  const told = (answer) =>
    answer.refused ? answer : { event_id: answer[0], key: Number(answer[1]) };

  return {
    /** The headers with which `body` is sent. */
    async sign(secrets, id, at, body) {
      const answer = await call('sign', secrets.join(','), id, microseconds(at), hex(body));
      if (answer.refused) throw new Error(answer.refused);
      const [webhook_id, timestamp, signature] = answer;
      return {
        'webhook-id': webhook_id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      };
    },

    /** {event_id, key}, or {refused} and why. */
    async verify(secrets, headers, body, now = new Date()) {
      const answer = await call(
        'verify',
        secrets.join(','),
        microseconds(now),
        headers['webhook-id'],
        headers['webhook-timestamp'],
        headers['webhook-signature'],
        hex(body),
      );
      return told(answer);
    },

    /** The same, of what came with this `Stripe-Signature`. */
    verify_timestamped: async (secret, header, body, now = new Date()) =>
      told(await call('verify_timestamped', secret, microseconds(now), header, hex(body))),

    async stop() {
      worker.stdin.end();
      await exited;
    },
  };
}
