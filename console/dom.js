"use strict";

// Making and filling elements. Whatever comes from the service is set as text, never as markup:
// names are whatever somebody typed somewhere.

const $ = (id) => document.getElementById(id);

/** Members that begin with `on` are listeners; the others are attributes. Strings become text. */
function make(tag, members = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((each) => each !== null && each !== undefined));
  return element;
}

/** A name keeps to itself: its letters may run from right to left. */
const named = (text) => make("bdi", {}, String(text));
const code = (text) => make("code", {}, String(text));
const pill = (text, kind = text) => make("span", { class: `pill ${kind}` }, text);
const button = (text, onclick, members = {}) => make("button", { type: "button", onclick, ...members }, text);

/** A row whose cells say what they are where there is no room for a head. */
function row(cells) {
  return make("tr", {}, Object.entries(cells).map(([label, content]) =>
    make("td", { "data-label": label }, make("div", {}, content))));
}

function facts(members) {
  return Object.entries(members).flatMap(([name, content]) =>
    content === undefined || content === null ? [] : [make("dt", {}, name), make("dd", {}, content)]);
}

/** What a view has to say for itself. */
function say(id, text, bad = false) {
  const place = $(id);
  place.textContent = text;
  place.classList.toggle("bad", bad);
}

const local_time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** An instant in the reader's own time; in UTC, to the microsecond, where one points at it. */
function instant(text) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return code(text);
  return make("time", { datetime: text, title: `${text.replace("T", " ").replace("Z", "")} UTC` }, local_time.format(at));
}

const counted = new Intl.NumberFormat();

// How far the service's clock is ahead of this one. Its `Date` has whole seconds, so that less
// than two of them mean nothing.
let clock_ahead_ms = 0;

function note_clock(date) {
  const ahead = Date.parse(date) + 500 - Date.now();
  if (!Number.isNaN(ahead)) clock_ahead_ms = Math.abs(ahead) < 2000 ? 0 : ahead;
}

/** `1 d 02:03:04`, rounded up: zero is over. */
function remaining(ms) {
  const seconds = Math.ceil(ms / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const days = Math.floor(seconds / 86400);
  const clock = `${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days > 0 ? `${counted.format(days)} d ${clock}` : clock;
}

/** Counts down to the end of a hold. If it is still to come, `lapsed` is called when it is there. */
function countdown(expires_at, lapsed) {
  const element = make("span", { class: "countdown", title: `${expires_at.replace("T", " ").replace("Z", "")} UTC` });
  const left_ms = () => Date.parse(expires_at) - Date.now() - clock_ahead_ms;
  element.over = left_ms() <= 0;
  element.tick = () => {
    const left = left_ms();
    element.textContent = left > 0 ? `in ${remaining(left)}` : "lapsed";
    if (left > 0 || element.over) return;
    element.over = true;
    lapsed();
  };
  element.tick();
  return element;
}

setInterval(() => {
  for (const each of document.querySelectorAll(".countdown")) each.tick();
}, 1000);

/** Puts the rows of a list in order, and leaves those alone that are already there. */
function arrange(body, rows) {
  rows.forEach((each, index) => {
    if (body.children[index] !== each) body.insertBefore(each, body.children[index] ?? null);
  });
  while (body.children.length > rows.length) body.lastElementChild.remove();
}

/** A question before something is done, with fields in it or not. True if it is to be done, and all fields make sense. */
function ask(title, text, yes) {
  const dialog = $("ask");
  $("ask-title").replaceChildren(title);
  $("ask-text").replaceChildren(...text);
  $("ask-yes").replaceChildren(yes);
  return new Promise((resolve) => {
    const end = (answer) => {
      dialog.close();
      resolve(answer);
    };
    $("ask-yes").onclick = () => {
      if ([...$("ask-text").querySelectorAll("input")].every((each) => each.reportValidity())) end(true);
    };
    $("ask-no").onclick = () => end(false);
    // By the keyboard. What is told of a dialog comes later: it may be open again, with another question.
    dialog.onclose = () => {
      if (!dialog.open) resolve(false);
    };
    dialog.showModal();
    $("ask-no").focus();
  });
}
