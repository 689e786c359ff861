// Holds: the list, one of them, placing and resolving.

const verbs = {
  confirm: "It becomes permanent: what it claims stays claimed. This cannot be undone.",
  release: "What it claims becomes free for others. This cannot be undone.",
  expire: "Its time has run out, and it claims nothing any more. The service would do this by itself, sooner or later.",
};

const holds = { rows: new Map(), pages: 1, reading: readings() };

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const hold_address = (id) => `#/hold/${encodeURIComponent(id)}`;
const is_lapsed = (hold) => hold.state === "held" && Date.parse(hold.expires_at) <= Date.now() + clock_ahead_ms;

function state_pill(hold) {
  return hold.lapsed || is_lapsed(hold) ? pill("lapsed") : pill(hold.state);
}

function hold_row(hold) {
  const state = make("span", { class: "state" }, state_pill(hold));
  const made = row({
    Resource: named(hold.resource),
    Requester: named(hold.requester),
    Qty: counted.format(hold.quantity),
    State: state,
    Expires: hold.state === "held" ? countdown(hold.expires_at, () => state.replaceChildren(pill("lapsed"))) : "–",
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

$("place").addEventListener("submit", (event) => {
  event.preventDefault();
  const [resource, requester] = [$("place-resource").value, $("place-requester").value];
  const [amount, unit] = [$("place-duration").value, $("place-unit").value];
  const duration = unit === "D" ? `P${amount}D` : `PT${amount}${unit}`;
  const quantity = Number($("place-quantity").value);
  const what = [`Hold ${quantity} of `, { name: resource }, " for ", { name: requester }, `, ${duration}`];
  intend(what, { method: "POST", path: "/v1/holds", body: { resource, requester, duration, quantity } }, () => {
    // Emptied, so that a second click finds nothing to place.
    if ($("place-resource").value === resource) $("place-resource").value = "";
    refresh_view();
  });
});

// The second click of a double click means what the first did.
$("place").addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("button")) event.preventDefault();
});

// --- One hold --------------------------------------------------------------------------------

async function resolve_hold(hold, verb) {
  const of = [named(hold.resource), ", for ", named(hold.requester), ". "];
  if (!(await ask(`${capital(verb)} this hold?`, [...of, verbs[verb]], `Yes, ${verb} it`))) return;
  const what = [`${capital(verb)} ${hold.id}: `, { name: hold.resource }, ", ", { name: hold.requester }];
  const request = { method: "POST", path: `/v1/holds/${segment(hold.id)}/${verb}` };
  await intend(what, request, refresh_view);
}

function hold_buttons(hold) {
  if (hold.state !== "held") return [];
  const possible = hold.lapsed || is_lapsed(hold) ? ["expire"] : ["confirm", "release"];
  return possible.map((verb) => button(`${capital(verb)}…`, () => resolve_hold(hold, verb),
    { id: `do-${verb}`, class: verb === "confirm" ? "main" : null }));
}

const shown_hold = { id: "", text: "", reading: readings() };

/** Nothing that could be clicked by mistake is left of the one before. */
function clear_hold(id) {
  Object.assign(shown_hold, { id, text: "" });
  $("hold").replaceChildren();
}

async function refresh_hold(id) {
  const current = shown_hold.reading();
  if (id !== shown_hold.id) clear_hold(id);
  if (!/^h[0-9a-f]+-[0-9a-f]+$/.test(id)) return say("hold-said", "That is not the id of a hold.", true);
  const hold = await read("hold-said", `/v1/holds/${segment(id)}`, { current });
  if (!current()) return;
  if (hold === null) return clear_hold(id);
  say("hold-said", "");
  const text = JSON.stringify({ ...hold, expires_in_ms: null });
  if (text === shown_hold.text && $("hold").firstChild !== null) return;
  shown_hold.text = text;
  const life = hold.lifecycle.map((step) => make("li", {}, pill(step.state), " ", instant(step.at)));
  const again = () => { shown_hold.text = ""; refresh_view(); };
  const focused = $("hold").contains(document.activeElement);
  $("hold").replaceChildren(
    make("dl", { class: "facts" }, facts({
      Hold: code(hold.id),
      State: make("span", { id: "hold-state" }, state_pill(hold)),
      Resource: named(hold.resource),
      Requester: named(hold.requester),
      Quantity: counted.format(hold.quantity),
      Expires: [instant(hold.expires_at), " ", hold.state === "held" ? countdown(hold.expires_at, again) : null],
      "Life so far": make("ol", { class: "life", id: "hold-life" }, life),
      "Placed by token": make("a", { href: token_address(hold.token), class: "mono" }, hold.token),
      "Its bytes": hold.token_hex === undefined ? null : code(hold.token_hex),
    })),
    make("p", { class: "buttons" }, hold_buttons(hold)));
  if (focused) $("hold-title").focus();  // what had it is gone
}
