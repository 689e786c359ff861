// The official package of Standard Webhooks and we verify what the other has signed.

import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, sign as node_sign } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { start_signatures } from './support/signatures.mjs';

const secret_of = (bytes) => `whsec_${randomBytes(bytes).toString('base64')}`;
const bodies = [
  '{"test": 2432232314}',
  '{}',
  '',
  '{"text":"ü€😀\\u0000"}',
  ' {\r\n\t"a" : 1 }\n',
  JSON.stringify({ long: 'x'.repeat(200_000) }),
];
const lengths = [24, 25, 26, 31, 32, 33, 48, 63, 64];
const new_id = () => `msg_${randomBytes(12).toString('hex')}`;

const signed_by_package = (secret, id, at, body) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign(id, at, body),
});

describe('standardwebhooks', { timeout: 60_000 }, () => {
  let ours;
  before(() => (ours = start_signatures()));
  after(() => ours?.stop());

  test('makes the same signatures', async () => {
    for (const length of lengths) {
      for (const body of bodies) {
        const [secret, id, at] = [secret_of(length), new_id(), new Date()];
        const made = await ours.sign([secret], id, at, body);
        assert.deepEqual(made, signed_by_package(secret, id, at, body));
      }
    }
  });

  test('verifies what we sign, with the old secret and with the new', async () => {
    for (const body of bodies) {
      const secrets = lengths.map(secret_of);
      const headers = await ours.sign(secrets, new_id(), new Date(), body);
      for (const secret of secrets) {
        const verified = new Webhook(secret).verify(body, headers);
        assert.deepEqual(verified, body === '' ? undefined : JSON.parse(body));
      }
      assert.throws(() => new Webhook(secret_of(32)).verify(body, headers), /No matching signature/);
      assert.throws(() => new Webhook(secrets[0]).verify(`${body} `, headers), /No matching/);
    }
  });

  test('is verified by us', async () => {
    for (const length of lengths) {
      for (const body of bodies) {
        const [secret, id] = [secret_of(length), new_id()];
        const headers = signed_by_package(secret, id, new Date(), body);
        const secrets = [secret_of(24), secret, secret_of(64)];
        assert.deepEqual(await ours.verify(secrets, headers, body), { event_id: id, key: 1 });
        assert.ok((await ours.verify([secrets[0], secrets[2]], headers, body)).refused);
        assert.ok((await ours.verify(secrets, headers, `${body} `)).refused);
        assert.ok((await ours.verify(secrets, { ...headers, 'webhook-id': 'msg_2' }, body)).refused);
      }
    }
  });

  test('and we tolerate the same five minutes', async () => {
    const [secret, id, body] = [secret_of(32), new_id(), '{}'];
    for (const seconds of [-330, -270, 0, 270, 330]) {
      const headers = signed_by_package(secret, id, new Date(Date.now() + seconds * 1000), body);
      const tolerated = Math.abs(seconds) < 300;
      assert.equal('event_id' in (await ours.verify([secret], headers, body)), tolerated, `${seconds}`);
      const by_package = () => new Webhook(secret).verify(body, headers);
      if (tolerated) assert.deepEqual(by_package(), {});
      else assert.throws(by_package, /too (old|new)/);
    }
  });

  // The package has no Ed25519; what signs here is node's own.
  test('v1a of any key is verified by us', async () => {
    for (const body of bodies) {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url');
      const [id, at] = [new_id(), Math.floor(Date.now() / 1000)];
      const signature = node_sign(null, Buffer.from(`${id}.${at}.${body}`), privateKey);
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(at),
        'webhook-signature': `v1a,${signature.toString('base64')}`,
      };
      const secrets = [secret_of(32), `whpk_${raw.toString('base64')}`];
      assert.deepEqual(await ours.verify(secrets, headers, body), { event_id: id, key: 1 });
      assert.ok((await ours.verify([secrets[0]], headers, body)).refused);
      assert.ok((await ours.verify(secrets, headers, `${body}x`)).refused);
    }
  });
});
