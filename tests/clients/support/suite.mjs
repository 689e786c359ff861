// What every client must get, whatever happens on the way: one effect, and the one answer to it.
//
// A client is
//   name           of the library
//   connect        ({url, patience_ms}) → {post, close}, with `retries` set to ask again by itself
//   post           (target, body, key) → {status, text}; without a key the library chooses one;
//                  throws when the library gives up without an answer
//   chooses_keys   whether the library sends an Idempotency-Key of its own
//   gives_up_on    faults, by name, that the library may report instead of asking again
//   repeats_409    'unless advised not to', 'always' or 'never'

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { faults, needs_patience_to_end, pass_without_advice } from './faults.mjs';
import { start_proxy } from './proxy.mjs';
import { start_server } from './server.mjs';

export const retries = 3;

// Short where the client must lose its patience, long where a busy machine must not make it.
const short_ms = 500;
const long_ms = 20_000;

const hold_of = (resource) => ({ resource, requester: 'guest_g91', duration: 'PT15M' });

const the_only = (items) => {
  assert.equal(items.length, 1);
  return items[0];
};

export function describe_client(client, options = {}) {
  describe(client.name, { concurrency: 4, timeout: 60_000, ...options }, () => {
    let server;
    before(async () => (server = await start_server()));
    after(() => server?.stop());

    /** Runs `body` with a connected client behind a proxy that follows `script`. */
    async function with_client({ script = [], otherwise, patience_ms = long_ms }, body) {
      const proxy = await start_proxy(server.url, script, otherwise);
      const connection = client.connect({ url: proxy.url, patience_ms });
      try {
        return await body(connection, proxy.attempts);
      } finally {
        await connection.close();
        await proxy.stop();
      }
    }

    /** Every attempt was the same request, every answer of the server the same, now and later. */
    async function check_replays(target, attempts, answer) {
      const first = attempts[0].request;
      const key = first.headers['idempotency-key'];
      for (const { request, answer: seen } of attempts) {
        assert.equal(request.headers['idempotency-key'], key);
        assert.equal(request.body, first.body);
        if (seen) assert.equal(seen.body, answer.text);
      }
      const replay = await server.post(target, JSON.parse(first.body || '{}'), key);
      assert.equal(replay.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual([replay.status, replay.text], [answer.status, answer.text]);
    }

    /** Places a hold through `names` of faults; `ask` is how the application asks. */
    async function place_through(names, resource, key, ask) {
      const script = names.map((name) => faults[name]);
      const patience_ms = names.some(needs_patience_to_end) ? short_ms : long_ms;
      await with_client({ script, patience_ms }, async ({ post }, attempts) => {
        const answer = await ask(() => post('/v1/holds', hold_of(resource), key));
        assert.equal(answer.status, 201);
        assert.ok(attempts.length > names.length, 'the faults were met');
        assert.equal(the_only(await server.holds(resource)).id, JSON.parse(answer.text).id);
        assert.deepEqual(await server.events(resource), ['hold.placed']);
        await check_replays('/v1/holds', attempts, answer);
      });
    }

    for (const name of Object.keys(faults)) {
      const gives_up = client.gives_up_on.includes(name);
      // Where the library gives up, the application asks again; its key must be its own for that.
      const key = client.chooses_keys && !gives_up ? undefined : `key of ${name}`;
      test(`${name}: one hold${gives_up ? ', asked for again by hand' : ''}`, () =>
        place_through([name], `room ${name}`, key, (ask) => (gives_up ? ask().catch(ask) : ask())));
    }

    test('one fault after the other: one hold', () => {
      const names = ['answer lost', 'hung after the request', 'answer cut in its body'];
      return place_through(names, 'room of troubles', 'key of troubles', async (ask) => {
        for (let left = names.length; left > 0; --left) {
          try {
            return await ask();
          } catch {
            // The library gave up; the same key makes it safe to go on.
          }
        }
        return ask();
      });
    });

    test('answer lost: one confirmation', async () => {
      const placed = await server.post('/v1/holds', hold_of('room to confirm'), 'key to place');
      const target = `/v1/holds/${JSON.parse(placed.text).id}/confirm`;
      const script = [faults['answer lost']];
      await with_client({ script }, async ({ post }, attempts) => {
        const answer = await post(target, {}, 'key to confirm');
        assert.equal(answer.status, 200);
        assert.equal(JSON.parse(answer.text).state, 'confirmed');
        assert.equal(attempts.length, 2);
        const events = await server.events('room to confirm');
        assert.deepEqual(events, ['hold.placed', 'hold.confirmed']);
        await check_replays(target, attempts, answer);
      });
    });

    const always = client.repeats_409 === 'always';
    const times_409 = always ? 1 + retries : 1;
    const until = always ? 'asked for until retries run out' : 'asked for once';

    /** Asks for `resource`, which is taken; the refusal must change nothing. */
    async function refused(resource, how, expected_attempts) {
      await server.post('/v1/holds', hold_of(resource), `key that took ${resource}`);
      await with_client(how, async ({ post }, attempts) => {
        const answer = await post('/v1/holds', hold_of(resource), `late for ${resource}`);
        assert.equal(answer.status, 409);
        assert.equal(JSON.parse(answer.text).code, 'resource-unavailable');
        assert.equal(attempts.length, expected_attempts);
        assert.deepEqual(await server.events(resource), ['hold.placed']);
        await check_replays('/v1/holds', attempts, answer);
      });
    }

    test(`resource taken: a refusal, ${until}`, () => refused('room taken', {}, times_409));

    test('resource taken, answer lost: the same refusal', () =>
      refused('room lost', { script: [faults['answer lost']] }, always ? 1 + retries : 2));

    if (client.repeats_409 === 'unless advised not to') {
      // Without the headers this client would go on: they are what stops it.
      test('resource taken, advice removed: a refusal, asked for until retries run out', () =>
        refused('room without advice', { otherwise: pass_without_advice }, 1 + retries));
    }

    test(`key of another request: a conflict, ${until}`, async () => {
      await server.post('/v1/holds', hold_of('room of the key'), 'key taken');
      await with_client({}, async ({ post }, attempts) => {
        const answer = await post('/v1/holds', hold_of('room of another'), 'key taken');
        assert.equal(answer.status, 409);
        assert.equal(JSON.parse(answer.text).code, 'protocol.idempotency_conflict');
        assert.equal(attempts.length, times_409);
        assert.deepEqual(await server.holds('room of another'), []);
      });
    });
  });
}
