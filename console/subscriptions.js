// Subscriptions: where events are sent. Their secrets are shown when somebody asks, and gone when the view is left.

const subscription_address = (id) => `#/subscription/${encodeURIComponent(id)}`;

const subscription_link = (id) => make("a", { href: subscription_address(id), class: "mono short-id", title: id }, id);

const subscription_says = {
  replay: "Every event after that record is sent again, to a receiver that may have had it. One that was disabled is active again.",
  rotate: "Webhooks get a new secret. For a day they are signed with the one before, too: give the receiver the new one by then.",
  delete: "No more events are sent. This cannot be undone.",
};

const wanted_events = ({ events: names }) => (names.length === 0 ? "all" : names.flatMap((each) => [named(each), " "]));

function subscription_row(subscription) {
  const made = row({
    URL: named(subscription.url),
    Events: wanted_events(subscription),
    For: named(subscription.description ?? ""),
    Status: [pill(subscription.status), subscription.error === undefined ? null : [" ", named(subscription.error)]].flat(),
    "Sent up to": counted.format(subscription.cursor),
    Made: instant(subscription.created_at),
    Id: subscription_link(subscription.id),
  });
  made.dataset.subscription = subscription.id;
  return made;
}

const refresh_subscriptions = list_view("subscriptions", (cursor) => `/v1/subscriptions${query({ limit: 50, cursor })}`,
  (subscription) => subscription.id, subscription_row);

$("subscribe").addEventListener("submit", (event) => {
  event.preventDefault();
  const url = $("subscribe-url").value;
  const names = $("subscribe-events").value.split(/[\s,]+/).filter(Boolean);
  const description = $("subscribe-description").value;
  const body = { url, ...(names.length > 0 && { events: names }), ...(description !== "" && { description }) };
  intend(["Send events to ", { name: url }], { method: "POST", path: "/v1/subscriptions", body }, () => {
    if ($("subscribe-url").value === url) $("subscribe").reset();
    refresh_view();
  });
});

$("subscribe").addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("button")) event.preventDefault();
});

// --- Its secret ------------------------------------------------------------------------------

const secret_reading = readings();

function hide_secret() {
  secret_reading();  // what is still to come is not shown
  $("secret").replaceChildren();
  say("secret-said", "");
}

async function show_secret(id) {
  const current = secret_reading();
  const body = await read("secret-said", `/v1/subscriptions/${segment(id)}/secret`, { current });
  if (body === null) return;
  say("secret-said", body.secrets.length > 1
    ? "Webhooks are signed with each of these. The first is the new one."
    : "Webhooks are signed with this. Whoever knows it can forge them.");
  $("secret").replaceChildren(
    make("ul", { id: "secrets" }, body.secrets.map((each) => make("li", {}, code(each)))),
    make("p", { class: "buttons" }, button("Hide it", hide_secret, { id: "hide-secret" })));
}

window.addEventListener("hashchange", hide_secret);

// --- One subscription ------------------------------------------------------------------------

/** The record after which to begin. */
function after_field(most) {
  const input = make("input",
    { id: "ask-after", type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, value: most, required: true });
  const element = make("span", { class: "fields" }, make("label", {}, "After the record, 0 for all ", input));
  return { element, body: () => ({ after: Number(input.value) }) };
}

function left_by(id) {
  if (location.hash === subscription_address(id)) location.hash = "#/subscriptions";
  else refresh_view();
}

function subscription_buttons(subscription) {
  const { id, url, cursor } = subscription;
  const of = { id, path: `/v1/subscriptions/${segment(id)}`, of: [{ name: url }] };
  const rotated = () => {
    hide_secret();
    refresh_view();
  };
  return [
    button("Replay…", () => change(of, "replay", subscription_says.replay, [after_field(cursor)]), { id: "do-replay" }),
    button("Rotate the secret…", () => change(of, "rotate", subscription_says.rotate, [], rotated), { id: "do-rotate" }),
    button("Delete…", () => change(of, "delete", subscription_says.delete, [], () => left_by(id)), { id: "do-delete" }),
    button("Show the secret", () => show_secret(id), { id: "show-secret" }),
  ];
}

const refresh_subscription = view_of_one("subscription",
  path_by_id("/v1/subscriptions", /^s-[0-9a-f]{32}$/, "subscription"), (subscription) => [
    make("dl", { class: "facts" }, facts({
      Subscription: code(subscription.id),
      URL: named(subscription.url),
      Events: wanted_events(subscription),
      "What it is for": subscription.description === undefined ? null : named(subscription.description),
      Status: make("span", { id: "subscription-status" }, pill(subscription.status)),
      Reason: subscription.reason === undefined ? null : named(subscription.reason),
      "Last error": subscription.error === undefined ? null : named(subscription.error),
      Failures: subscription.failures === 0 ? null : counted.format(subscription.failures),
      "Next try": subscription.failures === 0 || subscription.status === "disabled" ? null : instant(subscription.next_at),
      "Sent up to record": counted.format(subscription.cursor),
      Made: instant(subscription.created_at),
    })),
    make("p", { class: "buttons" }, subscription_buttons(subscription)),
  ]);
