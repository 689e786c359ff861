// What happened to a command, from its claim to the provider's answer, or to an entry of the inbox: the events about it. There
// is no list of these, so the events since its beginning are looked through, so many at a time.

const timeline_page = 1000;
const timeline_pages = 10;  // read before somebody is asked whether to go on
const timeline_slack_ms = 2000;  // clocks of several nodes differ

const about = (event) =>
  (event.data?.effects ?? event.data?.entries ?? [event.data]).filter((each) => each?.id !== undefined);

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

/** What each kind of event says of a command, in words. */
const command_steps = {
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
function step_element(line, event, data, steps) {
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
  let [low, high] = [0, await last_record()];
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

/**
 * A timeline that is on the page under that name. `steps` says what each kind of event says in words; of what it is about,
 * `id_of` is its id, `begins_ms` when it began, later if need be, and `ended_at` after which instant nothing comes, if that is
 * known.
 */
function timeline_view(name, { steps, id_of, begins_ms, ended_at }) {
  let shown = null;  // the line that is

  function take_steps(line, items) {
    const ended = ended_at(line.of);
    for (const event of items) {
      if (ended !== undefined && event.at > ended) return false;
      line.after = Number(event.seq);
      for (const data of about(event)) if (data.id === line.id) $(name).append(step_element(line, event, data, steps));
    }
    return true;
  }

  /** Goes on through the events. True if there are more to look through. */
  async function read_on(line) {
    for (let page = 0; page < timeline_pages; ++page) {
      const { items, next, more } = await events_after(line.after, timeline_page);
      if (line !== shown || !take_steps(line, items)) return false;
      line.after = Number(next);
      if (!more) return false;
    }
    return true;
  }

  async function follow_line(line) {
    line.busy = true;
    try {
      while (line.wanted && line === shown) {
        line.wanted = false;
        line.after ??= await record_before(await begins_ms(line.of) - timeline_slack_ms);
        line.more = await read_on(line);
      }
      if (line !== shown) return;
      $(`${name}-more`).hidden = !line.more;
      const none = $(name).children.length === 0 ? "No events of it were found." : "";
      say(`${name}-said`, line.more ? "There are more events that have not been looked through." : none);
    } catch (error) {
      if (line === shown) say(`${name}-said`, error.message, true);
    } finally {
      line.busy = false;
    }
  }

  function clear() {
    shown = null;
    $(name).replaceChildren();
    $(`${name}-more`).hidden = true;
    say(`${name}-said`, "");
  }

  /** Shows what has happened since it was last looked at. */
  async function refresh(of) {
    if (shown?.id !== id_of(of)) {
      clear();
      shown = { id: id_of(of), after: null, more: false, busy: false, wanted: false };
      say(`${name}-said`, "Looking…");
    }
    const line = shown;
    line.of = of;
    if (line.more) return;  // that is for whoever looks at it to say
    line.wanted = true;
    if (!line.busy) await follow_line(line);
  }

  $(`${name}-more`).addEventListener("click", () => {
    const line = shown;
    if (line === null || line.busy) return;
    line.wanted = true;
    follow_line(line);
  });
  return { clear, refresh };
}

const command_timeline = timeline_view("timeline", {
  steps: command_steps,
  id_of: (command) => command.command_id,
  begins_ms: async (command) => Date.parse(command.created_at) - await approvals_before_ms(command),
  ended_at: ({ status, updated_at: at }) => (status === "in_progress" ? undefined : at),
});
