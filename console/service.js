// Asking the service. The key is in this variable and nowhere else, unless the operator wants it
// kept for the tab.

const patience_ms = 20000;
const credential_slot = "holdfast.credential";

/** What is kept until the tab is closed. Browsers can be set to keep nothing. */
const tab = {
  get(slot) {
    try { return sessionStorage.getItem(slot); } catch { return null; }
  },
  set(slot, text) {
    try { sessionStorage.setItem(slot, text); } catch { /* it is kept as long as the page is */ }
  },
  remove(slot) {
    try { sessionStorage.removeItem(slot); } catch { /* nothing was kept */ }
  },
};

let credential = tab.get(credential_slot) ?? "";

/** The part of a key that is no secret: `hf_<id>_<secret>`. */
const key_id = () => /^hf_([^_]+)_/.exec(credential)?.[1] ?? (credential === "" ? "" : "?");

/** No whole answer came. What became of the request is not known. */
class Unanswered extends Error {}

/** One part of a path. */
function segment(text) {
  // Browsers take these for "here" and "one up", however they are escaped.
  if (text === "." || text === "..") throw new RangeError(`A browser cannot ask for something named “${text}”.`);
  return encodeURIComponent(text);
}

function headers_with(more) {
  return credential === "" ? more : { ...more, Authorization: `Bearer ${credential}` };
}

/** What a refusal says, whoever gave it: something on the way may not speak as the service does. */
function problem_of(status, body) {
  if (body !== null && typeof body === "object" && "code" in body) return body;
  return { status, title: `The answer was ${status}`, detail: "", code: `http-${status}` };
}

/**
 * Sends a request and waits for the whole answer: `{status, ok, headers, body, problem}`. Throws
 * Unanswered if there is none.
 */
async function call(method, path, { body, headers = {}, patience = patience_ms } = {}) {
  const impatience = new AbortController();
  const timer = setTimeout(() => impatience.abort(), patience);
  try {
    const json = body === undefined ? {} : { "Content-Type": "application/json" };
    const response = await fetch(path, {
      method,
      headers: headers_with({ ...json, ...headers }),
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: impatience.signal,
    });
    const text = await response.text();
    note_clock(response.headers.get("Date"));
    const is_json = /json/.test(response.headers.get("Content-Type") ?? "");
    let content = text;
    if (is_json) content = JSON.parse(text);
    const answer = { status: response.status, ok: response.ok, headers: response.headers, body: content };
    if (!response.ok) answer.problem = problem_of(response.status, content);
    if (response.status === 401) ask_for_key();
    return answer;
  } catch (error) {
    const why = impatience.signal.aborted ? `within ${patience / 1000} seconds` : "since the connection failed";
    throw new Unanswered(`There was no answer ${why}.`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

const get = (path, options) => call("GET", path, options);

/** A query without what was left empty. */
function query(members) {
  const given = Object.entries(members).filter(([, value]) => (value ?? "") !== "");
  const parts = new URLSearchParams(given);
  return parts.size === 0 ? "" : `?${parts}`;
}

/** A refusal as a sentence or two. */
function words_of(problem) {
  const errors = (problem.errors ?? []).map((each) => [each.pointer, each.detail].filter(Boolean).join(": "));
  const short = (problem.short ?? []).map((each) => `${each.resource}: ${each.asked} asked, ${each.free} free.`);
  return [`${problem.title} (${problem.code}).`, problem.detail, ...errors, ...short].filter(Boolean).join(" ");
}

/**
 * Readings of one view. Each begins by calling what this returns, and gets what tells whether a
 * later one has begun: answers that come late give way.
 */
function readings() {
  let last = 0;
  return () => {
    const mine = ++last;
    return () => mine === last;
  };
}

/** Reads for a view: the body, or nothing once the view has said why there is none. */
async function read(said, path, { current = () => true, ...options } = {}) {
  try {
    const answer = await get(path, options);
    if (!current()) return null;
    if (answer.ok) return answer.body;
    say(said, answer.status === 401 ? "A key is needed." : words_of(answer.problem), answer.status !== 401);
  } catch (error) {
    if (current()) say(said, error.message, true);
  }
  return null;
}

/**
 * A view of one thing: a function that reads it again. What is shown stays until something about it changes, and nothing
 * that could be clicked by mistake is left of the one before. `path_of` says where it is, or throws a RangeError;
 * `parts_of` makes elements of it, and is given what shows it anew. The function returns what was read, or null where
 * nothing was or a later reading has begun.
 */
function view_of_one(name, path_of, parts_of) {
  const shown = { of: "", text: "", reading: readings() };
  const clear = (of) => {
    Object.assign(shown, { of, text: "" });
    $(name).replaceChildren();
  };
  const again = () => {
    shown.text = "";
    refresh_view();
  };
  return async (of) => {
    const current = shown.reading();
    if (of !== shown.of) clear(of);
    let path;
    try {
      path = path_of(of);
    } catch (error) {
      say(`${name}-said`, error.message, true);
      return null;
    }
    const body = await read(`${name}-said`, path, { current });
    if (!current()) return null;
    if (body === null) {
      clear(of);
      return null;
    }
    say(`${name}-said`, "");
    const text = JSON.stringify({ ...body, expires_in_ms: null });
    if (text === shown.text && $(name).firstChild !== null) return body;
    shown.text = text;
    const focused = $(name).contains(document.activeElement);
    $(name).replaceChildren(...parts_of(body, again));
    if (focused) $(`${name}-title`).focus();  // what had it is gone
    return body;
  };
}

/** The path of something that has an id. */
function path_by_id(address, pattern, what) {
  return (id) => {
    if (!pattern.test(id)) throw new RangeError(`That is not the id of a ${what}.`);
    return `${address}/${segment(id)}`;
  };
}

/**
 * The newest items of a list among the first `end` records, oldest first, and whether there may be
 * earlier ones. Most records may be another tenant's, so it looks further back each time.
 */
async function newest(path, end, count) {
  for (let width = count; ; width *= 8) {
    const begin = Math.max(0, end - width);
    const items = [];
    for (let after = begin, more = true; more && after < end;) {
      const answer = await get(path + query({ after, limit: 1000 }));
      if (!answer.ok) throw new Unanswered(words_of(answer.problem));
      items.push(...answer.body.items.filter((each) => each.seq <= end));
      after = Number(answer.body.next);
      more = answer.body.more;
    }
    const enough = items.length >= count || (items.length > 0 && width > 5000);
    if (enough || begin === 0) return { items: items.slice(-count), earlier: begin > 0 || items.length > count };
  }
}

// --- Keys ------------------------------------------------------------------------------------

function show_who() {
  $("who").hidden = credential === "";
  $("who-id").textContent = key_id();
}

function ask_for_key() {
  if (!$("sign-in").hidden) return;
  if (credential !== "") say("sign-in-said", "The key was refused.", true);
  forget_key();
  $("sign-in").hidden = false;
  $("credential").focus();
}

function forget_key() {
  credential = "";
  tab.remove(credential_slot);
  show_who();
}

$("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = $("credential").value.trim();
  if (!/^[\x21-\x7e]+$/.test(given)) return say("sign-in-said", "That cannot be a key.", true);
  say("sign-in-said", "Asking…");
  credential = given;
  try {
    const answer = await get("/v1/holds?limit=1");
    if (answer.status === 401) {
      forget_key();
      return say("sign-in-said", `The key was refused. ${words_of(answer.problem)}`, true);
    }
    if (!answer.ok) return say("sign-in-said", words_of(answer.problem), true);
  } catch (error) {
    return say("sign-in-said", error.message, true);
  }
  if ($("remember").checked) tab.set(credential_slot, credential);
  $("sign-in").reset();
  $("sign-in").hidden = true;
  say("sign-in-said", "");
  show_who();
  show_everything();
});

$("forget").addEventListener("click", () => {
  forget_key();
  location.reload();  // and with it everything that was read with the key
});
