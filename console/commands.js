// Commands: the list, and one of them with its effect and its timeline.

const status_pill = (status) => pill(status.replaceAll("_", " "), status);

function command_row(command) {
  const made = row({
    Command: intent_name(command.intent),
    Target: value_text(command.intent.target),
    Status: status_pill(command.status),
    Key: code(command.idempotency_key),
    Submitted: instant(command.created_at),
    Changed: instant(command.updated_at),
    Id: command_link(command.command_id),
  });
  made.dataset.command = command.command_id;
  return made;
}

const refresh_commands = list_view("commands", (cursor) => `/v1/commands${query({
  key: $("commands-key").value,
  entity: $("commands-entity").value,
  action: $("commands-action").value,
  status: $("commands-status").value,
  limit: 50,
  cursor,
})}`, (command) => command.command_id, command_row);

const undone_says = "Nothing is done outside: you say that the command was undone. Whoever repeats it is told so.";

/** What was executed can be said to be undone; the rest is the business of its effect. */
function command_buttons(command) {
  if (command.status !== "executed") return [];
  const undone = { element: "", body: () => ({ status: "compensated" }) };
  return [button("It was undone…", () => change(change_of(command), "resolve", undone_says, [undone]), { id: "do-undone" })];
}

function command_facts(command) {
  const said = (text) => (text === undefined ? null : named(text));
  const json = (value, id) => make("pre", { id }, JSON.stringify(value, null, 2));
  return facts({
    Command: code(command.command_id),
    Status: make("span", { id: "command-status" }, status_pill(command.status)),
    Reason: said(command.reason),
    Intent: intent_name(command.intent),
    Target: command.intent.target === undefined ? null : named(plain(command.intent.target)),
    Arguments: command.args === undefined ? null : json(command.args, "command-args"),
    Outcome: command.outcome === null ? null : json(command.outcome, "command-outcome"),
    Key: make("a", { href: token_address(command.idempotency_key), class: "mono" }, command.idempotency_key),
    Actor: said(command.actor_id),
    "On behalf of": said(command.effective_actor_id),
    Kind: said(command.command_kind),
    "Correlation id": is_entry_id(command.correlation_id) ? entry_link(command.correlation_id) : said(command.correlation_id),
    Fingerprint: code(command.fingerprint),
    Submitted: instant(command.created_at),
    Changed: instant(command.updated_at),
    "Key forgotten at": command.ttl_expires_at === null ? "never" : instant(command.ttl_expires_at),
  });
}

const shown_command = { of: "" };

const command_path = path_by_id("/v1/commands", /^c-[0-9a-f]{40}-[0-9a-f]+$/, "command");

const refresh_command_facts = view_of_one("command", command_path, (command) => [
  make("dl", { class: "facts" }, command_facts(command)),
  make("p", { class: "buttons" }, command_buttons(command)),
]);

async function refresh_command(id) {
  if (shown_command.of !== id) {
    shown_command.of = id;
    clear_effect();
    command_timeline.clear();
  }
  const command = await refresh_command_facts(id);
  if (command === null || command.command_id !== address().of) return;
  await Promise.all([refresh_effect_of(command), command_timeline.refresh(command)]);
}
