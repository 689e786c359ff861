// Lists that are read a page at a time. Rows about which nothing has changed stay as they are.

/** The rows of a list by id: one is made anew only when what it shows has changed. */
function kept_rows(id_of, row_of) {
  const rows = new Map();
  const row_for = (item) => {
    const text = JSON.stringify(item);
    const kept = rows.get(id_of(item));
    if (kept?.text === text) return kept.element;
    const element = row_of(item);
    rows.set(id_of(item), { text, element });
    return element;
  };
  return (items) => {
    const shown = new Set(items.map(id_of));
    for (const id of [...rows.keys()]) if (!shown.has(id)) rows.delete(id);
    return items.map(row_for);
  };
}

function nothing_found(next) {
  return next === null ? "There are none." : "There are none among those that were looked at. There are more.";
}

/**
 * A list that is on the page under that name: a function that reads as many pages of it as are shown, or so many. `path_of`
 * says where a page is, given its cursor; `row_of` makes a row of an item.
 */
function list_view(name, path_of, id_of, row_of) {
  const shown = { pages: 1, reading: readings(), rows: kept_rows(id_of, row_of) };
  const refresh = async (pages = shown.pages) => {
    const current = shown.reading();
    const items = [];
    let next = null;
    for (let page = 0; page < pages; ++page) {
      const body = await read(`${name}-said`, path_of(next), { current });
      if (body === null) return;
      items.push(...body.items);
      next = body.next;
      if (next === null) break;
    }
    shown.pages = pages;
    arrange($(name), shown.rows(items));
    $(`${name}-more`).hidden = next === null;
    $(`${name}-table`).hidden = items.length === 0;
    say(`${name}-said`, items.length === 0 ? nothing_found(next) : "");
  };
  refresh.pages = () => shown.pages;
  $(`${name}-more`).addEventListener("click", () => refresh(shown.pages + 1));
  const filter = $(`${name}-filter`);
  filter?.addEventListener("submit", (event) => {
    event.preventDefault();
    refresh(1);
  });
  filter?.addEventListener("change", (event) => {
    if (event.target.matches("select")) refresh(1);
  });
  return refresh;
}
