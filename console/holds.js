// Holds: the list, one of them, placing and changing.

const verbs = {
  extend: "It is held that long from now on, and never shorter than it is.",
  confirm: "What it claims stays claimed, also when its time is over.",
  part: "This much stays claimed, also when its time is over. The rest stays held.",
  release: "What it claims becomes free for others. This cannot be undone.",
  cancel: "What was confirmed becomes free for others. This cannot be undone.",
  expire: "Its time has run out, and it claims nothing any more. The service would do this by itself, sooner or later.",
};

const holds = { rows: new Map(), pages: 1, reading: readings() };

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const hold_address = (id) => `#/hold/${encodeURIComponent(id)}`;
const held_of = (hold) => (hold.state === "held" ? hold.quantity - hold.quantity_confirmed : 0);
const kept_of = (hold) => hold.quantity_confirmed - hold.quantity_cancelled;
const duration_text = (amount, unit) => (unit === "D" ? `P${amount}D` : `PT${amount}${unit}`);
const is_lapsed = (hold) => hold.state === "held" && Date.parse(hold.expires_at) <= Date.now() + clock_ahead_ms;

function state_pill(hold) {
  return hold.lapsed || is_lapsed(hold) ? pill("lapsed") : pill(hold.state);
}

function hold_row(hold, lapsed = () => {}) {
  const state = make("span", { class: "state" }, state_pill(hold));
  const over = () => {
    state.replaceChildren(pill("lapsed"));
    lapsed();
  };
  const whole = hold.state === "confirmed" ? hold.quantity : 0;
  const part = kept_of(hold) === whole ? "" : ` · ${counted.format(kept_of(hold))} confirmed`;
  const made = row({
    Resource: named(hold.resource),
    Requester: named(hold.requester),
    Qty: counted.format(hold.quantity) + part,
    State: state,
    Expires: hold.state === "held" ? countdown(hold.expires_at, over) : "–",
    Placed: instant(hold.placed_at),
    Hold: make("a", { href: hold_address(hold.id), class: "mono" }, hold.id),
  });
  made.dataset.hold = hold.id;
  return made;
}

/** The row of a hold; the one that is there, if nothing about it has changed. */
function kept_row(hold) {
  const text = JSON.stringify(hold);
  const kept = holds.rows.get(hold.id);
  if (kept?.text === text) return kept.element;
  const element = hold_row(hold);
  holds.rows.set(hold.id, { text, element });
  return element;
}

function filtered(cursor) {
  return query({
    resource: $("filter-resource").value,
    resource_prefix: $("filter-prefix").value,
    requester: $("filter-requester").value,
    state: $("filter-state").value,
    limit: 50,
    cursor,
  });
}

/** Reads as many pages as are shown, or one more. */
async function refresh_holds(pages = holds.pages) {
  const current = holds.reading();
  const items = [];
  let next = null;
  for (let page = 0; page < pages; ++page) {
    const body = await read("holds-said", `/v1/holds${filtered(next)}`, { current });
    if (body === null) return;
    items.push(...body.items);
    next = body.next;
    if (next === null) break;
  }
  holds.pages = pages;
  arrange($("holds"), items.map(kept_row));
  const shown = new Set(items.map((each) => each.id));
  for (const id of [...holds.rows.keys()]) if (!shown.has(id)) holds.rows.delete(id);
  $("holds-more").hidden = next === null;
  $("holds-table").hidden = items.length === 0;
  say("holds-said", items.length === 0 ? "There are none." : "");
}

$("filter").addEventListener("submit", (event) => {
  event.preventDefault();
  refresh_holds(1);
});
$("filter-state").addEventListener("change", () => refresh_holds(1));
$("holds-more").addEventListener("click", () => refresh_holds(holds.pages + 1));

// --- Placing ---------------------------------------------------------------------------------

/** One more resource, to be held together with the others or not at all. */
function add_item() {
  const item = make("p", { class: "fields item" },
    make("label", {}, "And ", make("input", { class: "resource", required: true, autocomplete: "off", spellcheck: "false" })),
    make("label", { class: "short" }, "Quantity ",
      make("input", { class: "quantity", type: "number", min: 1, max: Number.MAX_SAFE_INTEGER, step: 1, value: 1, required: true })),
    button("Leave it out", () => item.remove()));
  $("place-more").append(item);
  item.querySelector(".resource").focus();
}

$("place-another").addEventListener("click", (event) => {
  if (event.detail < 2) add_item();
});

/** What is filled in: `{resource, quantity}` of each. */
function items_to_place() {
  const more = [...$("place-more").children].map((each) =>
    ({ resource: each.querySelector(".resource").value, quantity: Number(each.querySelector(".quantity").value) }));
  return [{ resource: $("place-resource").value, quantity: Number($("place-quantity").value) }, ...more];
}

$("place").addEventListener("submit", (event) => {
  event.preventDefault();
  const items = items_to_place();
  const requester = $("place-requester").value;
  const duration = duration_text($("place-duration").value, $("place-unit").value);
  const words = items.flatMap(({ resource, quantity }, index) => [`${index > 0 ? ", " : ""}${quantity} of `, { name: resource }]);
  const what = ["Hold ", ...words, " for ", { name: requester }, `, ${duration}`];
  const [{ resource, quantity }] = items;
  const request = items.length === 1
    ? { method: "POST", path: "/v1/holds", body: { resource, requester, duration, quantity } }
    : { method: "POST", path: "/v1/groups", body: { requester, duration, holds: items } };
  intend(what, request, () => {
    // Emptied, so that a second click finds nothing to place.
    if (JSON.stringify(items_to_place()) === JSON.stringify(items)) {
      $("place-resource").value = "";
      $("place-more").replaceChildren();
    }
    refresh_view();
  });
});

// The second click of a double click means what the first did.
$("place").addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("button")) event.preventDefault();
});

// --- Changing --------------------------------------------------------------------------------

// What a question asks for besides: an element, and what it comes to as members of the body.

function duration_field() {
  const amount = make("input", { id: "ask-duration", type: "number", min: 1, step: 1, value: 15, required: true });
  const units = [...$("place-unit").options].map(({ value, text }) => make("option", { value, selected: value === "M" }, text));
  const unit = make("select", { id: "ask-unit" }, units);
  const element = make("span", { class: "fields" }, make("label", {}, "For ", amount), make("label", {}, "Unit ", unit));
  return { element, body: () => ({ duration: duration_text(amount.value, unit.value) }) };
}

function quantity_field(most, value) {
  const input = make("input", { id: "ask-quantity", type: "number", min: 1, max: most, step: 1, value, required: true });
  const element = make("span", { class: "fields" }, make("label", {}, `Quantity, up to ${counted.format(most)} `, input));
  return { element, body: () => ({ quantity: Number(input.value) }) };
}

function final_field() {
  const input = make("input", { id: "ask-final", type: "checkbox" });
  const element = make("label", { class: "tick" }, input, " Release the rest at once");
  return { element, body: () => (input.checked ? { final: true } : {}) };
}

/** What has that path is one of these: `/v1/holds/…` has a hold. */
const kind_at = (path) => /^\/v1\/(\w+)s\//.exec(path)?.[1];

/** Asks, and does it once: `verb` to what has that id and address; `of` are words for it, see `worded`. */
async function change({ id, path, of, kind = kind_at(path) }, verb, says, fields = [], done = refresh_view) {
  const text = [...worded(of), ". ", says, ...fields.map((each) => each.element)];
  if (!(await ask(`${capital(verb)} this ${kind}?`, text, `Yes, ${verb} it`))) return;
  const body = fields.length === 0 ? undefined : Object.assign({}, ...fields.map((each) => each.body()));
  const how = Object.entries(body ?? {}).map(([name, value]) => `, ${name} ${plain(value)}`).join("");
  const request = verb === "delete" ? { method: "DELETE", path } : { method: "POST", path: `${path}/${verb}`, body };
  await intend([`${capital(verb)} ${id}${how}: `, ...of], request, done);
}

// --- One hold --------------------------------------------------------------------------------

function hold_buttons(hold) {
  const of = { id: hold.id, path: `/v1/holds/${segment(hold.id)}`, of: [{ name: hold.resource }, ", for ", { name: hold.requester }] };
  const all = [];
  const offer = (id, text, does, members = {}) => all.push(button(text, does, { id: `do-${id}`, ...members }));
  if (hold.state === "held" && (hold.lapsed || is_lapsed(hold))) {
    offer("expire", "Expire…", () => change(of, "expire", verbs.expire));
  } else if (hold.state === "held") {
    offer("confirm", "Confirm…", () => change(of, "confirm", verbs.confirm), { class: "main" });
    if (held_of(hold) > 1) {
      const fields = () => [quantity_field(held_of(hold), 1), final_field()];
      offer("part", "Confirm a part…", () => change(of, "confirm", verbs.part, fields()));
    }
    offer("extend", "Extend…", () => change(of, "extend", verbs.extend, [duration_field()]));
    offer("release", "Release…", () => change(of, "release", verbs.release));
  }
  if (kept_of(hold) > 0) {
    const fields = () => [quantity_field(kept_of(hold), kept_of(hold))];
    offer("cancel", "Cancel…", () => change(of, "cancel", verbs.cancel, fields()));
  }
  return all;
}

const refresh_hold = view_of_one("hold", path_by_id("/v1/holds", /^h[0-9a-f]+-[0-9a-f]+$/, "hold"), (hold, again) => {
  const life = hold.lifecycle.map((step) => make("li", {}, pill(step.state), " ", instant(step.at)));
  const some = (quantity) => (quantity === 0 ? null : counted.format(quantity));
  return [
    make("dl", { class: "facts" }, facts({
      Hold: code(hold.id),
      State: make("span", { id: "hold-state" }, state_pill(hold)),
      Resource: make("a", { href: resource_address(hold.resource) }, named(hold.resource)),
      Requester: named(hold.requester),
      Quantity: counted.format(hold.quantity),
      Confirmed: some(hold.quantity_confirmed),
      Released: some(hold.quantity_released),
      Cancelled: some(hold.quantity_cancelled),
      Expires: [instant(hold.expires_at), " ", hold.state === "held" ? countdown(hold.expires_at, again) : null],
      Fence: String(hold.fence),
      Group: hold.group === undefined ? null : make("a", { href: group_address(hold.group), class: "mono" }, hold.group),
      "Life so far": make("ol", { class: "life", id: "hold-life" }, life),
      "Placed by token": make("a", { href: token_address(hold.token), class: "mono" }, hold.token),
      "Its bytes": hold.token_hex === undefined ? null : code(hold.token_hex),
    })),
    make("p", { class: "buttons" }, hold_buttons(hold))];
});
