// Webhooks that Stripe's package has signed are verified by us.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import Stripe from 'stripe';
import { start_signatures } from './support/signatures.mjs';

const { webhooks } = new Stripe('sk_test_nobody');
const now_seconds = () => Math.floor(Date.now() / 1000);

describe('webhooks of stripe', { timeout: 60_000 }, () => {
  let ours;
  before(() => (ours = start_signatures()));
  after(() => ours?.stop());

  test('are verified by us', async () => {
    for (const text of ['', 'ü€😀', 'x'.repeat(200_000)]) {
      const payload = JSON.stringify({ id: 'evt_1', text }, null, 2);
      const secret = `whsec_${randomBytes(24).toString('base64')}`; // used as it is shown
      const header = webhooks.generateTestHeaderString({ payload, secret });
      const found = await ours.verify_timestamped(secret, header, payload);
      assert.deepEqual(found, { event_id: 'evt_1', key: 0 });
      assert.equal(webhooks.constructEvent(payload, header, secret).id, 'evt_1');
      assert.ok((await ours.verify_timestamped('another', header, payload)).refused);
      assert.ok((await ours.verify_timestamped(secret, header, `${payload} `)).refused);
    }
  });

  test('are stale after five minutes for both', async () => {
    const [payload, secret] = ['{"id":"evt_1"}', 'whsec_test'];
    for (const age of [270, 330]) {
      const header = webhooks.generateTestHeaderString({
        payload,
        secret,
        timestamp: now_seconds() - age,
      });
      const by_stripe = () => webhooks.constructEvent(payload, header, secret);
      const found = await ours.verify_timestamped(secret, header, payload);
      assert.equal('event_id' in found, age < 300, found.refused);
      if (age < 300) assert.equal(by_stripe().id, 'evt_1');
      else assert.throws(by_stripe, /tolerance/);
    }
  });
});
