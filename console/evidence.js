// The log of decisions and the signed head over it. Members that are not known here are shown as
// they are.

const evidence_page = 100;
const evidence = { next: null, asked: 0, again: null };
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

async function read_evidence(after) {
  const asked = evidence.asked;
  const page = await read("evidence-said", `/v1/evidence${query({ after, limit: evidence_page })}`);
  if (page === null || asked !== evidence.asked) return;
  $("evidence").append(...page.items.map(evidence_row));
  evidence.next = page.next;
  $("evidence-table").hidden = $("evidence").children.length === 0;
  $("evidence-more").hidden = !page.more;
}

/** After a start the service reads its journal, and says so until it has. */
function ask_again_for_evidence(answer) {
  const wait_s = Number(answer.headers.get("Retry-After") ?? 5);
  evidence.again = setTimeout(() => {
    if (address().view === "evidence") refresh_evidence();
  }, wait_s * 1000);
}

async function refresh_evidence() {
  const asked = ++evidence.asked;
  clearTimeout(evidence.again);
  let answer;
  try {
    answer = await get("/v1/evidence/head");
  } catch (error) {
    return say("evidence-said", error.message, true);
  }
  if (asked !== evidence.asked) return;
  $("evidence").replaceChildren();
  $("evidence-head").replaceChildren();
  if (!answer.ok) {
    if (answer.problem.code === "overloaded") ask_again_for_evidence(answer);
    return say("evidence-said", words_of(answer.problem), true);
  }
  say("evidence-said", "The head of the log, and the newest decisions in it:");
  const head = answer.body;
  $("evidence-head").replaceChildren(...facts(Object.fromEntries(Object.entries(head).map(([name, value]) =>
    [name.replaceAll("_", " "), name === "at" ? instant(plain(value)) : code(plain(value))]))));
  await read_evidence(Math.max(0, Number(head.size ?? 0) - evidence_page));
}

$("evidence-more").addEventListener("click", () => read_evidence(evidence.next));
