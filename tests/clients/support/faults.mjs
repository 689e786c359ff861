// What can happen to a request. Each is given
//   client    the socket to whoever asked
//   ask       sends the request to the server; the promise is for the answer's bytes
//   ask_half  sends the request to the server without its last bytes, then hangs up

const in_the_head = 40; // after the status line, before the end of the headers
const in_the_body = -25; // the last bytes of the body

export const pass = async ({ client, ask }) => client.write(await ask());

/** Passes, but takes away the server's advice about asking again. */
export const pass_without_advice = async ({ client, ask }) => {
  const answer = (await ask()).toString('latin1');
  client.write(answer.replace(/^(X|Stripe)-Should-Retry: .*\r\n/gim, ''), 'latin1');
};

export const faults = {
  'closed before the request': ({ client }) => client.end(),
  'reset before the request': ({ client }) => client.resetAndDestroy(),
  'request torn': async ({ client, ask_half }) => {
    await ask_half();
    client.end();
  },
  'answer lost': async ({ client, ask }) => {
    await ask();
    client.end();
  },
  'answer lost to a reset': async ({ client, ask }) => {
    await ask();
    client.resetAndDestroy();
  },
  'answer cut in its head': async ({ client, ask }) =>
    client.end((await ask()).subarray(0, in_the_head)),
  'answer cut in its body': async ({ client, ask }) =>
    client.end((await ask()).subarray(0, in_the_body)),
  'hung before the request': () => {},
  'hung after the request': ({ ask }) => ask(),
  'hung in the body': async ({ client, ask }) =>
    client.write((await ask()).subarray(0, in_the_body)),
};

/** Whether only the client's own patience ends this fault. */
export const needs_patience_to_end = (name) => name.startsWith('hung');
