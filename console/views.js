// Which view is shown: the part of the address behind `#/`. Without the slash the browser would
// look for an element of that name, and scroll to it.

const views = {
  holds: { show: () => refresh_holds() },
  hold: { show: (id) => refresh_hold(id), tab: "holds", title: "hold-title" },
  group: { show: (id) => refresh_group(id), tab: "holds", title: "group-title" },
  resources: { show: () => refresh_resources() },
  resource: { show: (name) => refresh_resource(name), tab: "resources", title: "resource-title" },
  commands: { show: () => refresh_commands() },
  command: { show: (id) => refresh_command(id), tab: "commands", title: "command-title" },
  effects: { show: () => refresh_effects() },
  inbox: { show: () => refresh_inbox() },
  entry: { show: (id) => refresh_entry(id), tab: "inbox", title: "entry-title" },
  subscriptions: { show: () => refresh_subscriptions() },
  subscription: { show: (id) => refresh_subscription(id), tab: "subscriptions", title: "subscription-title" },
  tokens: { show: (token) => (token === "" ? null : look_up(token)), still: true },
  events: { show: () => null },
  audit: { show: () => null, still: true },
  evidence: { show: () => refresh_evidence(), still: true },
};

/** `#/hold/h1-…` is `{view: "hold", of: "h1-…"}`. */
function address() {
  const [view, of = ""] = location.hash.slice(2).split("/", 2);
  let decoded = of;
  try {
    decoded = decodeURIComponent(of);
  } catch {
    // Typed by hand; it is what it is.
  }
  return { view: Object.hasOwn(views, view) ? view : "holds", of: decoded };
}

function show_view() {
  const { view, of } = address();
  for (const each of Object.keys(views)) $(`view-${each}`).hidden = each !== view;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#/${views[view].tab ?? view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (views[view].title !== undefined) $(views[view].title).focus();
  return views[view].show(of);
}

/** Reads again what is shown, if that is what changes. */
function refresh_view() {
  const { view, of } = address();
  if ($("sign-in").hidden && !views[view].still) views[view].show(of);
  refresh_counts();
}

/** How many pages of a list are shown. */
const pages_shown = {
  holds: () => holds.pages,
  commands: refresh_commands.pages,
  effects: refresh_effects.pages,
  inbox: refresh_inbox.pages,
  subscriptions: refresh_subscriptions.pages,
};

let soon = null;

/** The same, once for many events; a list that was read far down is left alone. */
function refresh_soon() {
  soon ??= setTimeout(() => {
    soon = null;
    if ((pages_shown[address().view]?.() ?? 1) <= 3) refresh_view();
  }, 700);
}

async function show_everything() {
  show_who();
  show_view();
  await refresh_overview();
  start_events();
}

window.addEventListener("hashchange", show_view);
$("skip").addEventListener("click", () => $("main").focus());
setInterval(() => {
  if (!document.hidden) refresh_overview();
}, overview_every_ms);

bring_back_actions();
show_everything();
