// Resources: the list, one of them, and what capacity they have.

const resource_address = (name) => `#/resource/${encodeURIComponent(name)}`;
const resources = { pages: 1, reading: readings() };

function resource_row(resource) {
  const link = (text, onclick, label) => button(text, onclick, { class: "link", "aria-label": label });
  return row({
    Resource: make("a", { href: resource_address(resource.name) }, named(resource.name)),
    Capacity: counted.format(resource.capacity),
    "In use": counted.format(resource.in_use),
    Free: counted.format(resource.available),
    Declared: resource.declared ? "yes" : "no",
    Do: [
      link("Change…", () => fill_declaration(resource), `Change the capacity of ${resource.name}`),
      " ",
      link("Holds", () => show_holds_of(resource.name), `Holds of ${resource.name}`),
    ],
  });
}

function fill_declaration(resource) {
  $("declare-resource").value = resource.name;
  $("declare-capacity").value = resource.capacity;
  $("declare-capacity").focus();
}

function show_holds_of(name) {
  $("filter").reset();
  $("filter-resource").value = name;
  location.hash = "#/holds";
}

async function refresh_resources(pages = resources.pages) {
  const current = resources.reading();
  const prefix = $("resources-prefix").value;
  const items = [];
  let next = null;
  for (let page = 0; page < pages; ++page) {
    const body = await read("resources-said", `/v1/resources${query({ prefix, limit: 100, cursor: next })}`, { current });
    if (body === null) return;
    items.push(...body.items);
    next = body.next;
    if (next === null) break;
  }
  resources.pages = pages;
  $("resources").replaceChildren(...items.map(resource_row));
  $("resources-more").hidden = next === null;
  say("resources-said", items.length > 0 ? "" : prefix === "" ? "None was declared or held yet." : "There are none.");
}

$("resources-filter").addEventListener("submit", (event) => {
  event.preventDefault();
  refresh_resources(1);
});

$("resources-more").addEventListener("click", () => refresh_resources(resources.pages + 1));

$("declare").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = $("declare-resource").value;
  const capacity = Number($("declare-capacity").value);
  let path;
  try {
    path = `/v1/resources/${segment(name)}`;
  } catch (error) {
    return say("resources-said", error.message, true);
  }
  intend(["Give ", { name }, ` a capacity of ${capacity}`], { method: "PUT", path, body: { capacity } }, () => {
    if ($("declare-resource").value === name) $("declare").reset();
    refresh_view();
  });
});

$("declare").addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("button")) event.preventDefault();
});

const refresh_resource = view_of_one("resource", (name) => `/v1/resources/${segment(name)}/availability`, (found, again) => [
  make("dl", { class: "facts" }, facts({
    Resource: named(found.resource),
    Capacity: counted.format(found.capacity),
    Held: counted.format(found.held),
    Confirmed: counted.format(found.confirmed),
    Free: make("span", { id: "resource-free" }, counted.format(found.free)),
    "Next expiry": found.next_expiry === null ? null : [instant(found.next_expiry), " ", countdown(found.next_expiry, again)],
  })),
  make("p", { class: "buttons" }, button("Holds", () => show_holds_of(found.resource))),
]);
