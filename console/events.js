// What happens, as it happens. Read with fetch rather than EventSource, which cannot send a key.
// While the tab is out of sight the stream is closed: a browser has few connections to one service.

const events_max = 200;
const events_back = 100;  // how far the list begins in the past
const events = { last: null, running: null, wait_ms: 500 };

/** Whatever is not about holds or resources: commands, their effects, the inbox, subscriptions, the registry. */
function event_of_row({ subject, data }) {
  const { record, digest } = data;
  const intent = record === undefined ? [] : [intent_name(record)];
  if (subject === "command" || subject === "effect")
    return [...(data.effects ?? [data]).flatMap(({ id }) => [command_link(id), " "]), ...intent];
  if (subject === "inbox") {
    const said = data.entry === undefined ? [] : [named(data.entry.event_id), " of ", named(data.entry.source)];
    return [...(data.entries ?? [data]).flatMap(({ id }) => [entry_link(id), " "]), ...said];
  }
  if (subject === "subscription") return [subscription_link(data.id), " ", named(data.url)];
  return [`${subject} `, code(plain(digest ?? data))];
}

function event_subject(event) {
  const { hold, resource } = event;
  if (event.subject !== undefined) return event_of_row(event);
  if (hold === undefined) return [named(resource.name), ` has a capacity of ${counted.format(resource.capacity)}`];
  const link = make("a", { href: hold_address(hold.id), class: "mono" }, hold.id);
  if (hold.resource !== undefined) return [link, " ", named(hold.resource), " for ", named(hold.requester)];
  const quantity = hold.quantity === undefined ? [] : [`, ${counted.format(hold.quantity)} of it`];
  const until = hold.expires_at === undefined ? [] : [", until ", instant(hold.expires_at)];
  return [link, ...quantity, ...until];
}

function event_row(event) {
  return row({
    "No.": String(event.seq),
    At: instant(event.at),
    What: pill(event.type, event.type.split(".")[1]),
    Of: event_subject(event),
    By: event.by ?? "caller",
  });
}

function take_events(taken) {
  if (taken.length === 0) return;
  $("events").prepend(...taken.slice(-events_max).reverse().map(event_row));
  while ($("events").children.length > events_max) $("events").lastElementChild.remove();
  refresh_soon();
}

/** Reads server-sent events from a stream of text until it ends. */
async function read_stream(reader, heard) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const taken = [];
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const fields = text.slice(0, end).split("\n").map((line) => /^(id|data): ?(.*)$/.exec(line)).filter(Boolean);
      const last = (name) => fields.filter(([, each]) => each === name).at(-1)?.[2];
      if (last("data") !== undefined) taken.push(JSON.parse(last("data")));
      if (last("id") !== undefined) events.last = last("id");
    }
    heard(taken);
  }
}

/** Whether there is a record of this number: what follows one that is not there yet is refused. */
async function is_there(seq) {
  const answer = await get(`/v1/events${query({ after: seq, limit: 1 })}`);
  if (answer.ok || answer.status === 400) return answer.ok;
  throw new Unanswered(words_of(answer.problem));
}

/** The number of the last record, or nearly: looked for where the key does not allow the counts. */
async function find_end() {
  let [low, high] = [0, events_back];
  while (await is_there(high)) [low, high] = [high, high * 4];
  while (high - low > events_back) {
    const middle = Math.floor((low + high) / 2);
    if (await is_there(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The same, as the counts say it where the key allows them. */
async function last_record() {
  if (!counts_asked) await refresh_counts();
  return metrics?.get("holdfast_evidence_head") ?? find_end();
}

/** Shows what there was, a little of it, and notes where following begins. */
async function begin_events(signal) {
  const end = await last_record();
  const { items } = await newest("/v1/events", end, events_back);
  if (signal.aborted) return;  // somebody else begins
  take_events(items);
  events.last = String(end);
}

/** One connection, until it ends: how long to wait before the next, or null if there is none. */
async function follow_once(signal) {
  if (events.last === null) await begin_events(signal);
  if (signal.aborted) return null;
  const headers = headers_with({ Accept: "text/event-stream", "Last-Event-ID": events.last });
  const response = await fetch("/v1/events", { headers, cache: "no-store", credentials: "omit", signal });
  if (!response.ok) {
    const problem = problem_of(response.status, await response.json().catch(() => null));
    say("events-said", words_of(problem), true);
    if (response.status === 401) ask_for_key();
    if (response.status === 400) {  // the store was set back: its events are read anew
      events.last = null;
      $("events").replaceChildren();
    }
    return response.status === 401 || response.status === 403 ? null : 5000;
  }
  say("events-said", "Connected. What is committed appears here.");
  events.wait_ms = 500;
  await read_stream(response.body.getReader(), take_events);
  return events.wait_ms;
}

async function follow(signal) {
  while (!signal.aborted) {
    let wait;
    try {
      wait = await follow_once(signal);
      if (wait === null) return;
    } catch {
      if (signal.aborted) return;
      events.wait_ms = Math.min(events.wait_ms * 2, 10000);
      wait = events.wait_ms;
    }
    if (wait < 5000) say("events-said", "The connection ended. It is taken up again where it was.");
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
    });
  }
}

function stop_events() {
  events.running?.abort();
  events.running = null;
}

function start_events() {
  stop_events();
  if (document.hidden || !$("sign-in").hidden) return;
  events.running = new AbortController();
  follow(events.running.signal);
}

document.addEventListener("visibilitychange", () => (document.hidden ? stop_events() : start_events()));
