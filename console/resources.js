// Resources: the list, and what capacity they have.

const resources = { pages: 1, reading: readings() };

function resource_row(resource) {
  const link = (text, onclick, label) => button(text, onclick, { class: "link", "aria-label": label });
  return row({
    Resource: named(resource.name),
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
  const items = [];
  let next = null;
  for (let page = 0; page < pages; ++page) {
    const body = await read("resources-said", `/v1/resources${query({ limit: 100, cursor: next })}`, { current });
    if (body === null) return;
    items.push(...body.items);
    next = body.next;
    if (next === null) break;
  }
  resources.pages = pages;
  $("resources").replaceChildren(...items.map(resource_row));
  $("resources-more").hidden = next === null;
  say("resources-said", items.length === 0 ? "None was declared or held yet." : "");
}

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
