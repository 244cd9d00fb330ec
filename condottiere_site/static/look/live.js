// An open page of a game: when it asks for news, and which of its blocks the news may replace.
// htmx asks and swaps; nothing here is needed to play.
"use strict";

const BLOCKS = ["now", "ask", "hand", "battle", "map", "news", "match", "players", "chat-channels", "chat-messages", "chat-opening", "log"];
const LONGEST_WAIT = 600_000;
const STEP = 20_000;
let failures = 0;
let quietUntil = 0;
let isGone = false;
let focused = null;
let held = null;

const isPoll = (event) => event.detail.ctx?.sourceElement?.id === "live";

// Hidden pages do not ask; shown again, they ask at once. After errors they wait longer each time.
document.addEventListener("htmx:before:request", (event) => {
  if (!isPoll(event)) return;
  if (isGone || document.hidden || performance.now() < quietUntil) event.preventDefault();
});

document.addEventListener("htmx:before:response", (event) => {
  if (!isPoll(event)) return;
  const { status, raw } = event.detail.ctx.response;
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
  failures += 1;
  quietUntil = performance.now() + Math.min(LONGEST_WAIT, STEP * 2 ** failures);
}

// The page is nobody's any more, or not this person's: it stays as it is, and says so.
function leave() {
  isGone = true;
  const notice = document.getElementById("live-gone");
  if (notice) notice.hidden = false;
}

document.addEventListener("htmx:before:swap", (event) => {
  if (!isPoll(event)) return;
  const { tasks } = event.detail;
  const before = document.getElementById("live").dataset;
  const blocks = tasks.filter((task) => task.type === "oob");
  const after = blocks.find((task) => task.target.id === "live")?.fragment.firstElementChild?.dataset;
  if (!after) return;
  if (isLaidOutAnew(event.detail.ctx.text)) {
    tasks.length = 0;
    return openAgain();
  }
  const isSameQuestion = before.question !== "" && before.question === after.question;
  const kept = blocks.filter((task) => mayGo(task, isSameQuestion));
  tasks.splice(0, tasks.length, ...kept);
  focused = document.activeElement;
  held = placeOf(beingFilledIn());
  announce(before, after);
});

// Who stood on something that has gone, such as a card, would be at the page's top: he is led to what is asked now.
document.addEventListener("htmx:after:swap", (event) => {
  if (!isPoll(event) || !focused || focused.isConnected) return;
  const asked = document.getElementById("ask-title");
  if (!asked || document.activeElement !== document.body) return;
  asked.tabIndex = -1;
  asked.focus({ preventScroll: true });
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

// A block that came or went, such as a battle's: then the page is opened again, unless something would be lost.
function isLaidOutAnew(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  return BLOCKS.some((id) => !document.getElementById(id) !== !fresh.getElementById(id));
}

function openAgain() {
  if ([...document.querySelectorAll("main input, main select, main textarea")].some(isTouched)) leave();
  else location.reload();
}

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
  if (field === document.activeElement) return true;
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.tagName === "SELECT") return field.selectedIndex !== firstChoice(field);
  return field.value !== field.defaultValue;
}

function firstChoice(list) {
  return Math.max(0, [...list.options].findIndex((one) => one.defaultSelected));
}

// One sentence for who listens, not the whole page.
function announce(before, after) {
  const news = document.getElementById("live-news");
  if (after.question && after.question !== before.question) news.textContent = after.asked;
  else if (after.step !== before.step) news.textContent = after.newest;
  else news.textContent = after.message;
}
