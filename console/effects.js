// Effects: what commands do outside and has not settled, or has failed. What operators do about them.

const command_address = (id) => `#/command/${encodeURIComponent(id)}`;
const command_link = (id) => make("a", { href: command_address(id), class: "mono short-id", title: id }, id);
const intent_name = ({ entity, action }) => named(`${entity}.${action}`);

/** A JSON value in one line, or nothing. */
const value_text = (value) => (value === undefined ? "" : named(plain(value)));

/** What trying it again comes to: the last attempt may have taken place. */
function retry_says({ stage, shield, uncertain }) {
  if (stage === "probe") return "The provider is asked at once whether it took place.";
  if (stage === "reconcile") return "The provider is asked at once how often it took place.";
  if (!uncertain) return "It is tried again at once.";
  if (shield === "S1") return "An attempt may have taken place. It is made again with the same key: the provider must still know it.";
  if (shield === "S4") return "An attempt may have taken place. It is made again; what is there twice is undone after that.";
  return "An attempt may have taken place. Ask the provider first: if it did, this does it again.";
}

function cancel_says({ uncertain }) {
  const unknown = uncertain ? " An attempt may have taken place: that stays unknown." : "";
  return `It is not tried again, and its command fails.${unknown}`;
}

const resolve_says = "Nothing is done outside: you say how the command ended. Whoever repeats it is told so.";

/** How it ended, one of these. */
function status_field(statuses) {
  const select = make("select", { id: "ask-status" }, statuses.map((each) => make("option", {}, each)));
  const element = make("span", { class: "fields" }, make("label", {}, "It is ", select));
  return { element, body: () => ({ status: select.value }) };
}

/** What is known of the result: JSON, or nothing. */
function result_field() {
  const input = make("input", { id: "ask-result", autocomplete: "off", spellcheck: "false", placeholder: '{"charge": "ch_1"}' });
  input.addEventListener("input", () => {
    let wrong = "";
    try {
      if (input.value.trim() !== "") JSON.parse(input.value);
    } catch {
      wrong = "This is no JSON. Texts are in quotes.";
    }
    input.setCustomValidity(wrong);
  });
  const element = make("span", { class: "fields" }, make("label", { class: "wide" }, "Its result as JSON, if it is known ", input));
  return { element, body: () => (input.value.trim() === "" ? {} : { result: JSON.parse(input.value) }) };
}

/** Its command, as something to be changed. */
function change_of({ command_id, intent }) {
  const target = intent.target === undefined ? [] : [" of ", { name: plain(intent.target) }];
  return { id: command_id, path: `/v1/effects/${segment(command_id)}`, of: [{ name: `${intent.entity}.${intent.action}` }, ...target] };
}

/** What can be done about it. While somebody is at work on it, nothing. */
function effect_buttons(effect) {
  if (effect.status === "leased") return [make("span", { class: "hint" }, "Somebody is at work on it.")];
  const of = change_of(effect);
  const failed = effect.reason !== undefined;
  const ends = failed ? ["executed", "compensated"] : ["executed", "failed", "compensated"];
  const offer = (verb, text, does) => button(text, does, { class: `do-${verb}`, "aria-label": `${text} ${effect.id}` });
  return [
    offer("retry", "Retry…", () => change(of, "retry", retry_says(effect))),
    offer("resolve", "Resolve…", () => change(of, "resolve", resolve_says, [status_field(ends), result_field()])),
    failed ? null : offer("cancel", "Cancel…", () => change(of, "cancel", cancel_says(effect))),
  ];
}

function effect_row(effect) {
  const made = row({
    Effect: intent_name(effect.intent),
    Target: value_text(effect.intent.target),
    Provider: [named(effect.provider), ` · ${effect.kind}, ${effect.shield}`],
    Status: pill(effect.status),
    "Why it waits": named(effect.why),
    Id: command_link(effect.command_id),
    Do: make("p", { class: "buttons" }, effect_buttons(effect)),
  });
  made.dataset.effect = effect.id;
  return made;
}

const refresh_effects = list_view("effects",
  (cursor) => `/v1/effects${query({ status: $("effects-status").value, limit: 50, cursor })}`,
  (effect) => effect.id, effect_row);

function effect_parts(effect) {
  return [
    make("dl", { class: "facts" }, facts({
      Status: make("span", { id: "effect-status" }, pill(effect.status)),
      Why: named(effect.why),
      Provider: [named(effect.provider), ` · ${effect.kind}, shield ${effect.shield}`],
      "What is next": effect.stage,
      Attempts: `${counted.format(effect.attempts)} of ${counted.format(effect.attempts_max)}`,
      "Ready at": instant(effect.ready_at),
      "Leased until": effect.lease_until === undefined ? null : [instant(effect.lease_until), " by ", named(effect.holder ?? "")],
      Fence: String(effect.fence),
      "May have taken place": effect.uncertain ? "yes: an earlier attempt" : null,
      "Last error": effect.error === undefined ? null : named(effect.error),
      "What the provider answered": effect.result === undefined ? null : code(plain(effect.result)),
    })),
    make("p", { class: "buttons" }, effect_buttons(effect)),
  ];
}

const shown_effect = { of: "", text: "", reading: readings() };

function clear_effect() {
  Object.assign(shown_effect, { of: "", text: "" });
  $("command-effect").replaceChildren();
  say("command-effect-said", "");
  $("command-effect-card").hidden = true;
}

/** The effect of a command, where it has one that is not over: a list with it, or an empty one. */
async function refresh_effect_of(command) {
  const current = shown_effect.reading();
  if (shown_effect.of !== command.command_id) clear_effect();
  if (command.status !== "in_progress" && command.status !== "failed") return clear_effect();
  let answer;
  try {
    answer = await get(`/v1/effects${query({ command_id: command.command_id })}`);
  } catch (error) {
    if (!current()) return;
    $("command-effect-card").hidden = false;
    return say("command-effect-said", error.message, true);
  }
  if (!current()) return;
  const effect = answer.ok ? answer.body.items[0] : null;
  if (effect === undefined) return clear_effect();
  $("command-effect-card").hidden = false;
  if (effect === null) return say("command-effect-said", words_of(answer.problem), true);
  say("command-effect-said", "");
  const text = JSON.stringify(effect);
  if (text === shown_effect.text) return;
  Object.assign(shown_effect, { of: command.command_id, text });
  const focused = $("command-effect").contains(document.activeElement);
  $("command-effect").replaceChildren(...effect_parts(effect));
  if (focused) $("command-effect-title").focus();  // what had it is gone
}
