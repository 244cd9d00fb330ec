// An open page of a game, a table or a channel: when it asks for news, and which of its blocks the news may replace.
// htmx asks and swaps; nothing here is needed to play.
"use strict";

const BLOCKS = ["now", "ask", "battle", "hand", "notices", "map", "news", "match", "players", "chat-channels", "chat-messages", "chat-opening", "log", "host"];
const LONGEST_WAIT = 600_000;
const STEP = 20_000;
const HIDDEN_STEP = 60_000;
const LONGEST_ANSWER = 15_000;
const SOUND = "sound on your turn";
const NEWS = "news of the page before";
let failures = 0;
let quietUntil = 0;
let askedAt = performance.now();
let answerBy = 0;
let isGone = false;
let focused = null;
let held = null;

const isPoll = (event) => event.detail.ctx?.sourceElement?.id === "live";

// Hidden pages ask once a minute; shown again, they ask at once. After errors they wait longer each time.
document.addEventListener("htmx:before:request", (event) => {
  if (!isPoll(event)) return;
  const now = performance.now();
  const rests = document.hidden && now < askedAt + HIDDEN_STEP;
  if (isGone || rests || now < quietUntil || now < answerBy) return event.preventDefault();
  if (!document.hidden) event.detail.ctx.request.headers["X-Visible"] = "1"; // in a shared hour, others see who is here
  askedAt = now;
  answerBy = now + LONGEST_ANSWER; // one question at a time: on a slow line, no news comes twice
});

document.addEventListener("htmx:before:response", (event) => {
  if (!isPoll(event)) return;
  const { status, raw } = event.detail.ctx.response;
  if (status !== 200) answerBy = 0;
  if (status === 204 || status === 304) return succeeded();
  if (status === 200 && !raw.redirected) return succeeded();
  event.preventDefault();
  if (status === 404 || raw.redirected) return leave();
  failed();
});

document.addEventListener("htmx:error", (event) => {
  if (isPoll(event)) failed();
});

function succeeded() {
  failures = 0;
  quietUntil = 0;
}

function failed() {
  answerBy = 0;
  failures += 1;
  quietUntil = performance.now() + Math.min(LONGEST_WAIT, STEP * 2 ** failures);
}

// The page is no one's any more, or not this person's: it stays as it is, and says so.
function leave() {
  isGone = true;
  const notice = document.getElementById("live-gone");
  if (notice) notice.hidden = false;
}

document.addEventListener("htmx:before:swap", (event) => {
  if (!isPoll(event)) return;
  const { ctx, tasks } = event.detail;
  if (!ctx.text) return; // no news (204)
  const before = document.getElementById("live").dataset;
  const blocks = tasks.filter((task) => task.type === "oob");
  const after = blocks.find((task) => task.target.id === "live")?.fragment.firstElementChild?.dataset;
  if (!after || isLaidOutAnew(ctx.text)) {
    tasks.length = 0;
    return openAgain(before);
  }
  const isSameQuestion = before.question !== "" && before.question === after.question;
  const kept = blocks.filter((task) => mayGo(task, isSameQuestion));
  tasks.splice(0, tasks.length, ...kept);
  focused = document.activeElement;
  held = placeOf(beingFilledIn());
  announce(before, after);
});

// The focus, where it was on something that has gone, such as a card, moves to what is asked now.
document.addEventListener("htmx:after:swap", (event) => {
  if (!isPoll(event) || !focused || focused.isConnected) return;
  const asked = document.getElementById("ask-title");
  if (!asked || document.activeElement !== document.body) return;
  asked.tabIndex = -1;
  asked.focus({ preventScroll: true });
});

document.addEventListener("htmx:after:swap", (event) => {
  if (isPoll(event)) answerBy = 0;
});

// What is being typed stays where it is in the window, whatever comes or grows above it.
document.addEventListener("htmx:after:swap", (event) => {
  if (!isPoll(event) || !held?.field.isConnected) return;
  const moved = held.field.getBoundingClientRect().top - held.top;
  if (moved) window.scrollBy({ top: moved, behavior: "instant" });
  held = null;
});

function beingFilledIn() {
  return [...document.querySelectorAll("main textarea, main input")].find((field) => isTouched(field) && isInView(field));
}

function isInView(field) {
  const { top, bottom } = field.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

function placeOf(field) {
  return field ? { field, top: field.getBoundingClientRect().top } : null;
}

// A block that came or went, such as a battle's, or a page that asks no more: the page is opened again, unless
// something would be lost.
function isLaidOutAnew(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  return BLOCKS.some((id) => !document.getElementById(id) !== !fresh.getElementById(id));
}

function openAgain(before) {
  if ([...document.querySelectorAll("main input, main select, main textarea")].some(isTouched)) return leave();
  sessionStorage.setItem(NEWS, JSON.stringify([location.pathname, before]));
  location.reload();
}

// The page opened again says what was new to the page before it.
window.addEventListener("load", () => {
  const [path, before] = JSON.parse(sessionStorage.getItem(NEWS) ?? "[]");
  sessionStorage.removeItem(NEWS);
  if (path === location.pathname) announce(before, document.getElementById("live").dataset);
});

// What is being typed or chosen stays: forms that were touched, and the question that is still open.
function mayGo(task, isSameQuestion) {
  const block = task.target;
  if (block.id === "live") return true;
  if (isSameQuestion && (block.id === "ask" || block.id === "hand")) {
    tellDeadline(block, task.fragment);
    return false;
  }
  return ![...block.querySelectorAll("input, select, textarea")].some(isTouched);
}

function tellDeadline(block, fragment) {
  const [old, now] = [block, fragment].map((part) => part.querySelector("#deadline"));
  if (old && now) old.replaceWith(now);
}

function isTouched(field) {
  if (field.type === "hidden" || field.name === "pick") return false; // a picked card is nothing yet
  if (field === document.activeElement) return true;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.tagName === "SELECT") return field.selectedIndex !== firstChoice(field);
  return field.value !== field.defaultValue;
}

function firstChoice(list) {
  return Math.max(0, [...list.options].findIndex((one) => one.defaultSelected));
}

// One sentence for those who listen, not the whole page. The tab shows whose turn it is, also while it is hidden.
function announce(before, after) {
  const news = document.getElementById("live-news");
  const isAsked = after.question && after.question !== before.question;
  if (isAsked) news.textContent = after.asked;
  else if (after.step !== before.step) news.textContent = after.newest;
  else news.textContent = after.message;
  showInTab(after);
  if (isAsked && hasSound()) beep();
}

function showInTab({ title, icon }) {
  if (title === undefined) return;
  document.title = document.title.replace(/^.*(?= · )/s, () => title.trim());
  document.querySelector("link[rel=icon]").href = icon;
}

function hasSound() {
  return localStorage.getItem(SOUND) === "on";
}

// Two soft notes. Browsers keep quiet until their reader has pressed something on the page.
function beep() {
  const audio = new AudioContext();
  const volume = new GainNode(audio, { gain: 0.08 });
  volume.connect(audio.destination);
  [523, 784].forEach((frequency, place) => {
    const note = new OscillatorNode(audio, { frequency });
    note.connect(volume);
    note.start(audio.currentTime + place * 0.16);
    note.stop(audio.currentTime + place * 0.16 + 0.14);
    note.onended = () => place && audio.close();
  });
}

const soundButton = document.getElementById("live-sound");
if (soundButton) {
  const show = () => soundButton.setAttribute("aria-pressed", String(hasSound()));
  soundButton.hidden = false;
  soundButton.addEventListener("click", () => {
    localStorage.setItem(SOUND, hasSound() ? "off" : "on");
    show();
    if (hasSound()) beep();
  });
  show();
}
showInTab(document.getElementById("live").dataset);
