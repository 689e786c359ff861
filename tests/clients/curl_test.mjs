import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe_client, retries } from './support/suite.mjs';

const run = promisify(execFile);
const installed = spawnSync('curl', ['--version']).status === 0;

const client = {
  name: 'curl --retry',
  chooses_keys: false,
  // 7.88 takes headers that break off for a whole answer without a body.
  gives_up_on: ['answer cut in its head'],
  repeats_409: 'always', // what --retry-all-errors with --fail-with-body means

  connect({ url, patience_ms }) {
    const folder = mkdtemp('scratch-');
    return {
      async post(target, body, key) {
        // To a file: what curl has written to a pipe before asking again stays written.
        const file = path.join(await folder, 'answer');
        const asked = run('curl', [
          ...['--silent', '--noproxy', '*', '--output', file, '--write-out', '%{http_code}'],
          ...['--max-time', String(patience_ms / 1000)],
          ...['--retry', String(retries), '--retry-all-errors', '--retry-delay', '1'],
          ...['--fail-with-body', '--header', 'Content-Type: application/json'],
          ...['--header', `Idempotency-Key: ${key}`, '--data', JSON.stringify(body)],
          url + target,
        ]);
        const http_error = 22;
        const { stdout } = await asked.catch((error) => {
          if (error.code !== http_error) throw error;
          return error;
        });
        const text = await readFile(file, 'utf8');
        if (text === '') throw new Error('no body');
        return { status: Number(stdout.slice(-3)), text };
      },
      close: async () => rm(await folder, { recursive: true }),
    };
  },
};

describe_client(client, { skip: !installed && 'curl is not installed' });
