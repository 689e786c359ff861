// What became of a token.

const token_address = (token) => `#/tokens/${encodeURIComponent(token)}`;

function token_facts(result) {
  const id = result.answer?.id;
  const link = (address) => make("a", { href: address(id), class: "mono" }, id);
  return facts({
    Token: code(result.token),
    "Its bytes": result.token_hex === undefined ? null : code(result.token_hex),
    Operation: result.operation,
    Outcome: make("span", { id: "token-outcome" }, pill(result.outcome, result.outcome === "done" ? "done" : "refused")),
    Status: String(result.status),
    Principal: named(result.principal),
    Hold: id?.startsWith("h") ? link(hold_address) : null,
    Command: result.answer?.command_id === undefined ? null : command_link(result.answer.command_id),
    Webhook: is_entry_id(id) ? link(entry_address) : null,
    Subscription: id?.startsWith("s-") ? link(subscription_address) : null,
    Group: id?.startsWith("g") ? link(group_address) : null,
    "Recorded at": instant(result.recorded_at),
    "Forgotten at": result.forgotten_at === null ? "never" : instant(result.forgotten_at),
    "Digest of the request": code(result.digest),
  });
}

const token_reading = readings();

async function look_up(token) {
  const current = token_reading();
  $("token").value = token;
  $("token-result").replaceChildren();
  say("token-said", "Asking…");
  try {
    const answer = await get(`/v1/tokens/${segment(token)}`);
    if (!current()) return;
    if (answer.status === 404)
      return say("token-said", "It was never used here, or has been forgotten since its window ended.");
    if (!answer.ok) return say("token-said", words_of(answer.problem), answer.status !== 409);
    say("token-said", "It has its outcome. Whoever sends it again gets this answer:");
    $("token-result").replaceChildren(
      make("dl", { class: "facts" }, token_facts(answer.body)),
      make("pre", { id: "token-answer" }, JSON.stringify(answer.body.answer, null, 2)));
  } catch (error) {
    if (current()) say("token-said", error.message, true);
  }
}

$("look-up").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = $("token").value.trim();
  if (location.hash === token_address(token)) look_up(token);
  else location.hash = token_address(token);
});
