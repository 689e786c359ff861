// A `holdfast serve` of the test's own, on a free port with a store of its own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import readline from 'node:readline';

// Settings in the environment of whoever runs the tests are not for this server.
const without_settings = (environment) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('HOLDFAST_')));

export async function start_server() {
  const folder = await mkdtemp('scratch-'); // in the build tree, where the tests run
  const store = path.join(folder, 'store.db');
  const program = spawn(
    process.env.HOLDFAST_CLI,
    ['serve', '--listen', '127.0.0.1:0', '--store', store],
    { env: without_settings(process.env), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  process.once('exit', () => program.kill('SIGKILL')); // if a test was stopped half-way
  const exited = once(program, 'exit');
  const [line] = await Promise.race([
    once(readline.createInterface(program.stdout), 'line'),
    exited.then(([status]) => assert.fail(`holdfast serve ended with ${status}`)),
  ]);
  const url = / on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
  assert.ok(url, `no address in: ${line}`);

  const get = async (target) => {
    const answer = await fetch(url + target);
    assert.equal(answer.status, 200, target);
    return answer.json();
  };

  return {
    url,

    /** One state change with no proxy in between. */
    async post(target, body, key) {
      const answer = await fetch(url + target, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify(body),
      });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },

    holds: async (resource) =>
      (await get(`/v1/holds?resource=${encodeURIComponent(resource)}`)).items,

    /** The types of all events of the holds ever placed on `resource`, in commit order. */
    async events(resource) {
      const ids = new Set(); // only placing names the resource
      const types = [];
      for (let page = { next: '0', more: true }; page.more; ) {
        page = await get(`/v1/events?after=${page.next}`);
        for (const { type, hold } of page.items) {
          if (hold?.resource === resource) ids.add(hold.id);
          if (ids.has(hold?.id)) types.push(type);
        }
      }
      return types;
    },

    /** Ends the server as an operator would; the store must be sound, and the end a clean one. */
    async stop() {
      try {
        const audit = await get('/v1/audit');
        assert.equal(audit.clean, true, JSON.stringify(audit.violations));
      } finally {
        program.kill('SIGTERM');
        await exited;
        await rm(folder, { recursive: true });
      }
      assert.equal(program.exitCode, 0, 'holdfast serve ended with an error');
    },
  };
}
