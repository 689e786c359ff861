// What happened to a command, from its claim to the provider's answer: the events about it. There is no list of these, so
// the events since its claim are looked through, so many at a time.

const timeline_page = 1000;
const timeline_pages = 10;  // read before somebody is asked whether to go on
const timeline_slack_ms = 2000;  // clocks of several nodes differ

const timeline = { line: null };

const about = (event) => (event.data?.effects ?? [event.data]).filter((each) => each?.id !== undefined);

function next_stage(data) {
  const next = {
    call: "Next attempt",
    probe: "The provider is asked whether it took place",
    reconcile: "The provider is asked how often it took place",
  };
  return [`${next[data.stage] ?? plain(data.stage)}, not before `, instant(plain(data.ready_at)), "."];
}

const sentence = (begin, value) => (value === undefined ? [] : [`${begin} `, named(plain(value)), ". "]);
const value_of = (name, value) => (value === undefined ? [] : [`${name}: `, code(plain(value)), ". "]);

function said_by({ ended, reason }) {
  if (reason === "resolved") return "An operator said";
  return ended === "executed" ? "Answer" : "Outcome";
}

/** What each kind of event says, in words. */
const steps = {
  "command.accepted": ({ record, outside }) => [
    ...sentence("Claimed by", record?.principal ?? record?.actor), ...value_of("Key", record?.token),
    ...(outside === undefined ? [] : ["Its effect waits for ", named(plain(outside.provider)), "."])],
  "command.executed": ({ record }) => [
    ...sentence("Claimed and executed at once, by", record?.principal ?? record?.actor), ...value_of("Key", record?.token),
    ...value_of("Outcome", record?.outcome)],
  "command.rejected": ({ record, about: what }) => [...sentence("Rejected:", record?.reason), ...value_of("What is wrong", what)],
  "command.approved": ({ principal }) => sentence("Approved by", principal),
  "effect.leased": (item, { data }) => [
    item.stage === "call" ? `Attempt ${plain(item.attempt)} by ` : `The provider is asked (${plain(item.stage)}) by `,
    named(plain(data.holder)), `, fence ${plain(item.fence)}, until `, instant(plain(item.lease_until)), "."],
  "effect.renewed": (data) => ["The lease goes on until ", instant(plain(data.lease_until)), "."],
  "effect.postponed": (data) => [...sentence("It did not settle:", data.error), ...value_of("Answer", data.result), ...next_stage(data)],
  "effect.lost": (data) => ["The lease ended without a word: nobody knows whether it took place. ", ...next_stage(data)],
  "effect.reopened": (data) => ["An operator has it tried again. ", ...next_stage(data)],
  "command.settled": (data) => [
    pill(plain(data.ended)), " ", ...sentence("Reason:", data.reason),
    ...value_of(said_by(data), data.outcome)],
};

function seconds_text(ms) {
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 }).format(ms / 1000)} s`;
}

/** `line.first_ms`, when the first of them was, is set by the first. */
function step_element(line, event, data) {
  line.first_ms ??= Date.parse(event.at);
  const later = Date.parse(event.at) - line.first_ms;
  const words = steps[event.type]?.(data, event) ?? [];
  const by = event.by === "sweeper" ? " · by the service" : "";
  return make("li", { "data-seq": event.seq },
    make("p", {}, pill(event.type, event.type.split(".")[1]), " ", instant(event.at),
      later > 0 ? ` · after ${seconds_text(later)}` : "", by),
    words.length === 0 ? null : make("p", {}, words));
}

/** A page of events, or an exception that says why there is none. */
async function events_after(after, limit) {
  const answer = await get(`/v1/events${query({ after: String(after), limit })}`);
  if (!answer.ok) throw new Unanswered(words_of(answer.problem));
  return answer.body;
}

/** When the first event after that record was; never, if there is none. */
async function first_after_ms(after) {
  for (;;) {
    const { items, next, more } = await events_after(after, 1);
    if (items.length > 0) return Date.parse(items[0].at);
    if (!more) return Infinity;
    after = Number(next);
  }
}

/** A record before all that happened since then, but not much earlier. */
async function record_before(start_ms) {
  let [low, high] = [0, metrics?.get("holdfast_evidence_head") ?? await find_end()];
  while (high - low > timeline_page / 4) {
    const middle = Math.floor((low + high) / 2);
    if (await first_after_ms(middle) < start_ms) low = middle;
    else high = middle;
  }
  return low;
}

/** `90s`, as the registry says it, as milliseconds; 0, if it is none. */
function duration_ms(text) {
  const [, count, unit] = /^(\d+)(us|ms|s|m|h|d|w)$/.exec(text) ?? [undefined, 0, "s"];
  return Number(count) * { us: 0.001, ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000, w: 604800000 }[unit];
}

/** How long before its claim somebody else may have approved it: as the registry says now. */
async function approvals_before_ms({ intent }) {
  const answer = await get("/v1/registry");
  if (!answer.ok) return 0;
  const declared = (answer.body.commands ?? []).find((each) => each.entity === intent.entity && each.action === intent.action);
  return declared?.confirm_by === "other" ? duration_ms(declared.confirmation_lifetime) : 0;
}

async function find_begin(command) {
  const start_ms = Date.parse(command.created_at) - timeline_slack_ms - await approvals_before_ms(command);
  return record_before(start_ms);
}

function take_steps(line, items) {
  const { command_id, status, updated_at } = line.command;
  for (const event of items) {
    if (status !== "in_progress" && event.at > updated_at) return false;  // nothing of it comes after that
    line.after = Number(event.seq);
    for (const data of about(event)) if (data.id === command_id) $("timeline").append(step_element(line, event, data));
  }
  return true;
}

/** Goes on through the events. True if there are more to look through. */
async function read_on(line) {
  for (let page = 0; page < timeline_pages; ++page) {
    const { items, next, more } = await events_after(line.after, timeline_page);
    if (line !== timeline.line || !take_steps(line, items)) return false;
    line.after = Number(next);
    if (!more) return false;
  }
  return true;
}

async function follow_line(line) {
  line.busy = true;
  try {
    while (line.wanted && line === timeline.line) {
      line.wanted = false;
      line.after ??= await find_begin(line.command);
      line.more = await read_on(line);
    }
    if (line !== timeline.line) return;
    $("timeline-more").hidden = !line.more;
    const none = $("timeline").children.length === 0 ? "No events of it were found." : "";
    say("timeline-said", line.more ? "There are more events that have not been looked through." : none);
  } catch (error) {
    if (line === timeline.line) say("timeline-said", error.message, true);
  } finally {
    line.busy = false;
  }
}

function clear_timeline() {
  timeline.line = null;
  $("timeline").replaceChildren();
  $("timeline-more").hidden = true;
  say("timeline-said", "");
}

/** Shows what has happened since it was last looked at. */
async function refresh_timeline(command) {
  if (timeline.line?.of !== command.command_id) {
    clear_timeline();
    timeline.line = { of: command.command_id, after: null, more: false, busy: false, wanted: false };
    say("timeline-said", "Looking…");
  }
  const line = timeline.line;
  line.command = command;
  if (line.more) return;  // that is for whoever looks at it to say
  line.wanted = true;
  if (!line.busy) await follow_line(line);
}

$("timeline-more").addEventListener("click", () => {
  const line = timeline.line;
  if (line === null || line.busy) return;
  line.wanted = true;
  follow_line(line);
});
