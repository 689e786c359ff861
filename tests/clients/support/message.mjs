// As much of HTTP/1.1 as the proxy needs: where one message ends, and what is in it.

/** The length of the first message in `bytes`, or undefined while some of it is missing. */
export function message_length(bytes) {
  const head_length = bytes.indexOf('\r\n\r\n') + 4;
  if (head_length < 4) return undefined;
  const head = bytes.toString('latin1', 0, head_length);
  if (/^transfer-encoding:/im.test(head)) throw new Error('the proxy does not know chunked bodies');
  const length = head_length + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return bytes.length < length ? undefined : length;
}

/** One whole message: its first line, its headers by their names in lower case, and its body. */
export function parse(message) {
  const head_length = message.indexOf('\r\n\r\n');
  const [start, ...lines] = message.toString('latin1', 0, head_length).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { start, headers, body: message.toString('utf8', head_length + 4) };
}

/** Calls `on_message` with each whole message that arrives on `socket`, one after the other. */
export function read_messages(socket, on_message) {
  let unread = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (let length; (length = message_length(unread)) !== undefined; ) {
      const message = unread.subarray(0, length);
      unread = unread.subarray(length);
      on_message(message);
    }
  });
}
