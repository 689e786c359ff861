// How the service is doing: ready or not, its version, its counts.

const overview_every_ms = 5000;

/** The lines of Prometheus' text format, by name and labels as they stand there. */
function parse_metrics(text) {
  const values = new Map();
  for (const line of text.split("\n")) {
    const space = line.lastIndexOf(" ");
    if (!line.startsWith("#") && space > 0) values.set(line.slice(0, space), Number(line.slice(space + 1)));
  }
  return values;
}

function show_ready(text, kind) {
  $("ready").textContent = text;
  $("ready").className = `pill ${kind}`;
}

async function refresh_ready() {
  try {
    const answer = await get("/readyz");
    if (answer.ok) show_ready("Ready", "good");
    else show_ready(`Not ready: ${answer.problem.detail || answer.problem.title}`, "bad");
  } catch (error) {
    show_ready("No answer", "bad");
  }
}

async function refresh_version() {
  try {
    const answer = await get("/version");
    if (answer.ok) $("version").textContent = answer.body.version;
  } catch {
    // The next time around; what is wrong is said above.
  }
}

const tiles = [
  ["Held", 'holdfast_holds{state="held"}'],
  ["Confirmed", 'holdfast_holds{state="confirmed"}'],
  ["Released", 'holdfast_holds{state="released"}'],
  ["Expired", 'holdfast_holds{state="expired"}'],
  ["Resources", "holdfast_resources"],
  ["Tokens", "holdfast_tokens"],
  ["Replays", 'holdfast_claims_total{decision="replayed"}'],
  ["Expiry lag", "holdfast_expiry_lag_seconds", (seconds) => `${counted.format(Math.round(seconds * 10) / 10)} s`],
  ["Queue", "holdfast_queue_calls"],
];

let metrics = null;  // null where the key does not allow them
let counts_asked = false;

async function refresh_counts() {
  if (!$("sign-in").hidden) return;
  let answer;
  try {
    answer = await get("/metrics");
  } catch {
    return;
  }
  counts_asked = true;
  metrics = answer.ok ? parse_metrics(answer.body) : null;
  $("counts").hidden = metrics === null;
  $("counts-said").hidden = metrics !== null || answer.status === 401;
  if (metrics === null) {
    $("counts-said").textContent = `No counts: ${answer.problem.detail || answer.problem.title}`;
    return;
  }
  const shown = tiles.filter(([, name]) => metrics.has(name));
  $("counts").replaceChildren(...shown.map(([title, name, text = counted.format]) =>
    make("div", {}, make("dt", {}, title), make("dd", { "data-metric": name }, text(metrics.get(name))))));
}

async function refresh_overview() {
  await Promise.all([refresh_ready(), refresh_counts()]);
  if ($("version").textContent === "") await refresh_version();
}
