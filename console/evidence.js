// The log of decisions and the signed head over it. Members that are not known here are shown as
// they are.

const evidence_page = 100;
const evidence = { first: 0, reading: readings(), again: null };
const evidence_known = new Set(["seq", "at", "decision", "operation", "principal", "hold", "resource", "token_hash"]);

const plain = (value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : String(value ?? ""));

async function show_proof(seq) {
  const proof = await read("evidence-said", `/v1/evidence/${seq}/proof`);
  if (proof === null) return;
  $("evidence-proof").replaceChildren(
    make("h2", { tabindex: "-1" }, `Proof that ${seq} is in the log`),
    make("pre", {}, JSON.stringify(proof, null, 2)));
  $("evidence-proof").firstChild.focus();
}

function evidence_row(item) {
  const unknown = Object.entries(item).filter(([name]) => !evidence_known.has(name));
  const rest = Object.fromEntries(unknown.map(([name, value]) => [name, plain(value)]));
  const of = [
    item.hold ? make("a", { href: hold_address(plain(item.hold)), class: "mono" }, plain(item.hold)) : null,
    item.resource ? [" ", named(plain(item.resource))] : null,
  ].flat();
  const hash = plain(item.token_hash);
  return row({
    "No.": plain(item.seq),
    At: instant(plain(item.at)),
    Decision: pill(plain(item.decision).replaceAll("_", " "), item.decision === "conflict_rejected" ? "bad" : "decision"),
    Operation: plain(item.operation),
    Principal: named(plain(item.principal)),
    Of: of,
    "Token's hash": hash === "" ? "" : make("code", { title: hash }, hash.length > 16 ? `${hash.slice(0, 16)}…` : hash),
    More: [
      unknown.length === 0 ? null : make("details", {}, make("summary", {}, "Members"), make("dl", { class: "facts" }, facts(rest))),
      button("Proof", () => show_proof(Number(item.seq)), { class: "link", "aria-label": `Proof of ${plain(item.seq)}` }),
    ],
  });
}

/** Shows the decisions among the first `end` records, newest first, below what is there. */
async function show_decisions(end, current) {
  const { items, earlier } = await newest("/v1/evidence", end, evidence_page);
  if (!current()) return;
  $("evidence").append(...items.reverse().map(evidence_row));
  evidence.first = Number(items.at(-1)?.seq ?? 0);
  $("evidence-table").hidden = $("evidence").children.length === 0;
  $("evidence-earlier").hidden = !earlier;
}

/** After a start the service reads its journal, and says so until it has. */
function ask_again_for_evidence(answer) {
  const wait_s = Number(answer.headers.get("Retry-After") ?? 5);
  evidence.again = setTimeout(() => {
    if (address().view === "evidence") refresh_evidence();
  }, wait_s * 1000);
}

async function read_evidence(current) {
  const answer = await get("/v1/evidence/head");
  if (!current()) return;
  $("evidence").replaceChildren();
  $("evidence-head").replaceChildren();
  $("evidence-earlier").hidden = true;
  if (!answer.ok) {
    if (answer.problem.code === "overloaded") ask_again_for_evidence(answer);
    return say("evidence-said", words_of(answer.problem), true);
  }
  say("evidence-said", "The head of the log, and the newest decisions in it:");
  const head = answer.body;
  $("evidence-head").replaceChildren(...facts(Object.fromEntries(Object.entries(head).map(([name, value]) =>
    [name.replaceAll("_", " "), name === "at" ? instant(plain(value)) : code(plain(value))]))));
  await show_decisions(Number(head.size ?? 0), current);
}

/** Runs a reading of the log; a later one takes its place. */
async function with_evidence(reading) {
  const current = evidence.reading();
  try {
    await reading(current);
  } catch (error) {
    if (current()) say("evidence-said", error.message, true);
  }
}

function refresh_evidence() {
  clearTimeout(evidence.again);
  return with_evidence(read_evidence);
}

$("evidence-earlier").addEventListener("click", () => {
  $("evidence-earlier").hidden = true;  // until there is an answer
  with_evidence((current) => show_decisions(evidence.first - 1, current));
});
