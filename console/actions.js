// Changing something. What the operator intends is one action, and has one Idempotency-Key however
// often it is sent. An action whose end is not known is kept for the tab: after a reload it can
// still be sent again with its key.

const actions_slot = "holdfast.actions";
const actions_max = 30;
const window_slot = "holdfast.window_ms";
const unknown_window_ms = 120000;
const actions = [];  // newest first

/** A random token. `crypto.randomUUID` is there only where the page is secure. */
function fresh_key() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** A first answer says until when its key is remembered. The shortest time that was said is kept. */
function note_window(headers) {
  const window_ms = Date.parse(headers.get("Idempotency-Expires")) - Date.parse(headers.get("Date"));
  const shortest = Math.min(window_ms, Number(tab.get(window_slot) ?? Infinity));
  if (shortest > 0 && shortest < Infinity) tab.set(window_slot, String(shortest));
}

/** How long after its first sending a key is certainly still known; with some time to decide. */
const sure_of_keys_ms = () => Number(tab.get(window_slot) ?? unknown_window_ms) * 0.8;

/** Words with names among them, as `{name}`: these keep to themselves. */
const worded = (what) => what.map((each) => (typeof each === "string" ? each : named(each.name)));

/** Whether the service itself gave this answer, and not something on the way to it. */
function is_services({ ok, headers, body }) {
  if (body === null || typeof body !== "object") return false;
  return ok ? headers.has("Idempotent-Replayed") : typeof body.token_action === "string";
}

/** Whether a refusal does not tell what became of the action. */
function leaves_open({ status, problem }) {
  if (problem.code === "overloaded") return false;  // it was turned away
  return status >= 500 || status === 408 || problem.code === "protocol.idempotency_in_flight";
}

class Action {
  /** `what` are the words for it, see `worded`; `request` is `{method, path, body}`, `done` is called with the answer. */
  constructor(what, request, done = () => {}, kept = {}) {
    this.what = what;
    this.request = request;
    this.done = done;
    this.key = kept.key ?? fresh_key();
    this.as = kept.as ?? key_id();
    this.uncertain = kept.key !== undefined;  // an earlier sending may have had its effect
    this.state = this.uncertain ? "unknown" : "sending";
    this.said = this.uncertain ? "The page was left before the answer was known." : "";
    this.sent = kept.sent ?? 0;
    this.since = kept.since ?? Date.now();
    this.derived = kept.derived ?? false;
    this.card = make("li");
    actions.unshift(this);
    for (const old of actions.slice(actions_max).filter((each) => !each.open())) old.dismiss();
    this.show();
  }

  /** Whether its key is still good for what it was made for. */
  open() {
    if (this.state === "refused") return this.token_action !== "new";
    return this.state !== "done";
  }

  /** Sends it, the first time or once more. While it is under way, that is what it is. */
  async send(confirmation) {
    if (this.flying) return;
    if (this.uncertain && this.as !== key_id()) {
      this.said = "It was sent with another key. Sign in with that one to send it again.";
      return this.show();
    }
    this.flying = true;
    if (!(await this.still_meant())) {
      this.flying = false;
      return;
    }
    this.as = key_id();
    this.state = "sending";
    this.sent += 1;
    this.show();
    try {
      let answer = await this.ask_service(confirmation);
      // Our keys are sound: this service makes them itself, from what is asked for.
      if (answer.problem?.code === "protocol.idempotency_key_invalid" && !this.derived) {
        this.derived = true;
        answer = await this.ask_service(confirmation);
      }
      this.settle(answer);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      this.uncertain = true;
      this.state = "unknown";
      this.said = `${error.message} Whether it happened is not known. Sending it again soon is safe: it has the same key.`;
    } finally {
      this.flying = false;
      this.show();
    }
    if (this.state === "done") this.done(this.answer);
  }

  async ask_service(confirmation) {
    const headers = this.derived ? {} : { "Idempotency-Key": this.key };
    if (confirmation !== undefined) headers["X-Confirmation"] = confirmation;
    const answer = await call(this.request.method, this.request.path, { body: this.request.body, headers });
    if (!is_services(answer)) throw new Unanswered(`What came was no answer of the service (${answer.status}).`);
    return answer;
  }

  /** A key is good for its window only: after that, to send it again would be to do it again. */
  async still_meant() {
    if (!this.uncertain || Date.now() - this.since < sure_of_keys_ms()) return true;
    const text = ["It was first sent ", instant(new Date(this.since).toISOString()),
      ". If the service has forgotten the key since then, this does it anew. See first whether it was done."];
    return ask("Send it again after so long?", text, "Send it again");
  }

  settle(answer) {
    this.answer = answer.body;
    if (this.derived) this.key = answer.headers.get("Idempotency-Key") ?? this.key;
    this.replayed = answer.headers.get("Idempotent-Replayed") === "true";
    if (!this.replayed) note_window(answer.headers);
    this.problem = answer.problem;
    if (answer.ok) {
      this.uncertain = false;
      this.state = "done";
      this.said = this.replayed
        ? "Replayed: an earlier sending had done it, and nothing happened a second time."
        : "Done, once.";
      return;
    }
    const wait = answer.headers.get("Retry-After");
    const later = wait === null ? "" : ` The service asks to wait ${wait} s.`;
    this.token_action = answer.problem.token_action ?? "reuse";
    if (leaves_open(answer)) {
      this.uncertain = true;
      this.state = "unknown";
      this.said = `${words_of(answer.problem)}${later} Sending it again soon is safe: it has the same key.`;
      return;
    }
    if (this.token_action === "new") this.uncertain = false;
    this.state = "refused";
    this.said = words_of(answer.problem) + later;
  }

  /** What is to be done with the key. */
  advice() {
    if (this.state !== "refused") return null;
    if (this.problem.code === "confirmation-required") return "It happens only if you say so once more.";
    if (this.token_action === "new") return "The key has its outcome. Trying again is a new action, with a new key.";
    return this.uncertain ? "The key is still good." : "Nothing happened. The key is still good.";
  }

  buttons() {
    if (this.state === "sending") return [];
    const all = [];
    const confirmation = this.problem?.confirmation;
    if (this.state === "refused" && confirmation !== undefined)
      all.push(button("Yes, do it", () => this.send(confirmation), { class: "main confirm-code" }));
    else if (this.open()) all.push(button("Send again", () => this.send(), { class: "main again" }));
    all.push(button("Look the key up", () => { location.hash = token_address(this.key); }));
    all.push(button(this.uncertain ? "Give up" : "Dismiss", () => this.dismiss()));
    return all;
  }

  show() {
    const done = this.replayed ? "replayed" : "done";
    const words = { sending: "sending", unknown: "not known", done, refused: "refused" };
    this.card.className = this.state;
    this.card.replaceChildren(
      make("h3", {}, worded(this.what)),
      make("p", {}, pill(words[this.state], this.state), " ", make("span", { class: "outcome" }, this.said)),
      ...[this.advice()].filter(Boolean).map((text) => make("p", { class: "advice" }, text)),
      make("p", { class: "key" }, "Key ", code(this.key), this.sent > 1 ? ` · sent ${this.sent} times` : ""),
      make("p", { class: "buttons" }, this.buttons()));
    show_actions();
  }

  dismiss() {
    const index = actions.indexOf(this);
    if (index >= 0) actions.splice(index, 1);
    show_actions();
  }
}

function show_actions() {
  arrange($("actions"), actions.map((each) => each.card));
  $("aside").hidden = actions.length === 0;
  const kept = actions.filter((each) => each.state === "sending" || each.uncertain)
    .map(({ what, request, key, as, sent, since, derived }) => ({ what, request, key, as, sent, since, derived }));
  if (kept.length === 0) tab.remove(actions_slot);
  else tab.set(actions_slot, JSON.stringify(kept));
}

function bring_back_actions() {
  const kept = JSON.parse(tab.get(actions_slot) ?? "[]");
  for (const { what, request, ...rest } of kept.reverse()) new Action(what, request, refresh_view, rest);
}

/** What is asked for again, unchanged and before it has an outcome, is the same action. */
function intend(what, request, done) {
  const text = JSON.stringify(request);
  const same = actions.find((each) => each.open() && JSON.stringify(each.request) === text);
  const action = same ?? new Action(what, request, done);
  action.done = done;
  return action.send();
}
