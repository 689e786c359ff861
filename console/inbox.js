// The inbox: webhooks that came in, and what became of each.

const entry_pattern = /^w-[0-9a-f]{40}-[0-9a-f]+$/;
const is_entry_id = (text) => entry_pattern.test(text ?? "");
const entry_address = (id) => `#/entry/${encodeURIComponent(id)}`;
const entry_link = (id) => make("a", { href: entry_address(id), class: "mono short-id", title: id }, id);

/** What follows from it, and to whom or where. */
function what_follows({ follows, target }) {
  const words = { command: "command ", forward: "sent on to ", pull: "for workers of " };
  return [words[follows] ?? `${follows} `, named(target)];
}

/** What trying it again comes to. */
function entry_retry_says({ follows, status }) {
  const when = status === "dead" ? "It gets all its attempts again, the first at once." : "It is tried again at once.";
  const how = {
    command: "The command has the same key as before: it runs once.",
    forward: "The receiver may have had it: it is sent with the same Idempotency-Key.",
    pull: "The next worker who asks gets it.",
  };
  return `${when} ${how[follows] ?? ""}`;
}

/** What can be done about it: nothing while somebody is at work on it, or once it is done. */
function entry_buttons(entry) {
  if (entry.status === "processing") return [make("span", { class: "hint" }, "Somebody is at work on it.")];
  if (entry.status === "done") return [];
  const of = {
    id: entry.id,
    kind: "entry",
    path: `/v1/inbox/${segment(entry.id)}`,
    of: [{ name: entry.event_id }, " of ", { name: entry.source }],
  };
  return [button("Retry…", () => change(of, "retry", entry_retry_says(entry)),
    { class: "do-retry", "aria-label": `Retry… ${entry.id}` })];
}

function entry_row(entry) {
  const made = row({
    Source: named(entry.source),
    Event: named(entry.event_id),
    Status: pill(entry.status),
    "What follows": what_follows(entry),
    "Last error": named(entry.last_error ?? ""),
    Received: instant(entry.received_at),
    Id: entry_link(entry.id),
    Do: make("p", { class: "buttons" }, entry_buttons(entry)),
  });
  made.dataset.entry = entry.id;
  return made;
}

const refresh_inbox = list_view("inbox", (cursor) => `/v1/inbox${query({
  source: $("inbox-source").value,
  status: $("inbox-status").value,
  limit: 50,
  cursor,
})}`, (entry) => entry.id, entry_row);

// --- One entry -------------------------------------------------------------------------------

/** What was sent, byte for byte where it is text. */
function entry_body({ body, body_base64 }) {
  const text = body ?? body_base64;
  if (text === undefined) return null;
  return make("pre", { id: "entry-body", class: "long", tabindex: 0, "aria-label": "The body" }, text);
}

function entry_attempts({ attempts, attempts_max: most }) {
  return counted.format(attempts) + (most === undefined ? "" : ` of ${counted.format(most)}`);
}

function entry_facts(entry) {
  const command = entry.result?.command_id;
  const headers = Object.entries(entry.headers ?? {});
  return facts({
    Entry: code(entry.id),
    Source: named(entry.source),
    "Event id": named(entry.event_id),
    Status: make("span", { id: "entry-status" }, pill(entry.status)),
    "What follows": what_follows(entry),
    Command: command === undefined ? null : command_link(command),
    Attempts: entry_attempts(entry),
    "Last error": entry.last_error === undefined ? null : named(entry.last_error),
    "What came of it": entry.result === undefined ? null : code(plain(entry.result)),
    "Ready at": entry.ready_at === undefined ? null : instant(entry.ready_at),
    "Leased until": entry.lease_until === undefined ? null : [instant(entry.lease_until), " by ", named(entry.holder ?? "")],
    Received: instant(entry.received_at),
    "Signed by its sender": entry.signed_at === undefined ? null : instant(entry.signed_at),
    Done: entry.done_at === undefined ? null : instant(entry.done_at),
    Headers: headers.length === 0 ? null
      : make("ul", { class: "plain" }, headers.map(([name, value]) => make("li", {}, `${name}: `, named(value)))),
    Body: `${counted.format(entry.body_bytes)} bytes${entry.body_base64 === undefined ? "" : ", no text: shown in base64"}`,
    "SHA-256 of the body": code(entry.body_sha256),
  });
}

const entry_path = path_by_id("/v1/inbox", entry_pattern, "webhook");

const refresh_entry_facts = view_of_one("entry", entry_path, (entry) => [
  make("dl", { class: "facts" }, entry_facts(entry)),
  entry_body(entry),
  make("p", { class: "buttons" }, entry_buttons(entry)),
].filter(Boolean));

// --- What happened to it ---------------------------------------------------------------------

const entry_steps = {
  "webhook.received": ({ entry }) => [
    "Taken in: ", named(plain(entry?.event_id ?? "")), " of ", named(plain(entry?.source ?? "")), "."],
  "inbox.leased": (item, { data }) => [
    `Attempt ${plain(item.attempt)} by `, named(plain(data.holder)), `, fence ${plain(item.fence)}, until `,
    instant(plain(item.lease_until)), "."],
  "inbox.postponed": (data) => [...sentence("It did not work:", data.error), ...again_at(data)],
  "inbox.lost": (data) => [...sentence("Nobody said what came of it:", data.error), ...again_at(data)],
  "inbox.died": (data) => [...sentence("It is not tried again by itself:", data.error)],
  "inbox.reopened": (data) => ["An operator has it tried again. ", ...again_at(data)],
  "inbox.completed": (data) => ["Done. ", ...value_of("What came of it", data.result)],
};

const again_at = ({ ready_at: at }) => ["Next attempt not before ", instant(plain(at)), "."];

const entry_timeline = timeline_view("entry-timeline", {
  steps: entry_steps,
  id_of: (entry) => entry.id,
  begins_ms: (entry) => Date.parse(entry.received_at),
  ended_at: (entry) => entry.done_at,
});

const shown_entry = { of: "" };

async function refresh_entry(id) {
  if (shown_entry.of !== id) {
    shown_entry.of = id;
    entry_timeline.clear();
  }
  const entry = await refresh_entry_facts(id);
  if (entry === null || entry.id !== address().of) return;
  await entry_timeline.refresh(entry);
}
