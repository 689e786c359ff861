// A group: its holds, and what is done to all that are still held.

const group_address = (id) => `#/group/${encodeURIComponent(id)}`;

/** What can be done to all of it; once one of its held holds has lapsed, all of this would be refused. */
function group_buttons(group) {
  const held = group.holds.filter((each) => each.state === "held");
  if (held.length === 0) return [];
  if (held.some(is_lapsed)) return [make("span", { class: "hint" }, "One of its holds has lapsed: change the others one by one.")];
  const of = {
    id: group.id,
    path: `/v1/groups/${segment(group.id)}`,
    of: [`${held.length} of ${group.holds.length} holds, for `, { name: held[0].requester }],
  };
  return [
    button("Confirm…", () => change(of, "confirm", verbs.confirm), { id: "group-confirm", class: "main" }),
    button("Extend…", () => change(of, "extend", verbs.extend, [duration_field()]), { id: "group-extend" }),
    button("Release…", () => change(of, "release", verbs.release), { id: "group-release" }),
  ];
}

const refresh_group = view_of_one("group", path_by_id("/v1/groups", /^g[0-9a-f]+-[0-9a-f]+$/, "group"), (group, again) => [
  make("dl", { class: "facts" }, facts({ Group: code(group.id), Requester: named(group.holds[0].requester) })),
  make("table", {},
    $("holds-table").tHead.cloneNode(true),
    make("tbody", { id: "group-holds" }, group.holds.map((each) => hold_row(each, again)))),
  make("p", { class: "buttons" }, group_buttons(group)),
]);
