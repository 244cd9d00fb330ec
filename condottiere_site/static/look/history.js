// A finished game: steps without reloading, by arrow keys too, and a button that goes on automatically every two
// seconds. Every step is a link all the same: without this file, or when it fails, the links do the work.
(() => {
  "use strict";
  const PAUSE_BETWEEN = 2000;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const main = document.getElementById("main");
  let timer = 0;
  let asking = new AbortController();

  const said = document.createElement("p");
  said.setAttribute("role", "status");
  said.className = "visually-hidden";
  document.body.append(said);

  const link = (name) => main.querySelector(`[data-step="${name}"]`);
  const isPlaying = () => timer !== 0;

  function showButton() {
    for (const hidden of main.querySelectorAll(".stepper .by-itself, .keys")) hidden.hidden = false;
    const button = link("play");
    if (!button) return;
    button.classList.toggle("playing", isPlaying());
    button.querySelector(".word").textContent = isPlaying() ? button.dataset.pause : button.dataset.play;
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    showButton();
  }

  function play() {
    timer = setTimeout(async () => {
      const next = link("next");
      if (next && isPlaying() && await go(next.href) && isPlaying() && link("next")) play();
      else pause();
    }, PAUSE_BETWEEN);
    showButton();
  }

  function put(page) {
    const focused = document.activeElement?.dataset?.step;
    document.title = page.title;
    main.replaceChildren(...page.getElementById("main").childNodes);
    showButton();
    if (focused) (link(focused) || link("next") || link("previous"))?.focus({ preventScroll: true });
    said.textContent = [...main.querySelectorAll("#happened li")].map((li) => li.textContent).join(" ");
    if (!still.matches) main.querySelector("#happened")?.classList.add("fresh");
  }

  // The address changes before the position is fetched: later, it would undo a going back that has begun.
  function go(address) {
    if (address !== location.href) history.pushState(null, "", address);
    return show(address);
  }

  // Whether the position could be shown here; if not, the browser loads it as it does without script.
  // Of several askings the last one counts.
  async function show(address) {
    asking.abort();
    const mine = asking = new AbortController();
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" }, signal: mine.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok || !page.querySelector(".stepper")) throw new Error("no position");
      if (mine.signal.aborted) return false;
      put(page);
      return true;
    } catch {
      if (!mine.signal.aborted) location.replace(address);
      return false;
    }
  }

  document.addEventListener("click", (event) => {
    const step = event.target.closest?.("[data-step], .viewpoints a, .battle-list a");
    if (!step || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (step.dataset.step === "play") {
      if (isPlaying()) pause();
      else play();
      return;
    }
    event.preventDefault();
    pause();
    go(step.href);
  });

  document.addEventListener("keydown", (event) => {
    const name = { ArrowLeft: "previous", ArrowRight: "next" }[event.key];
    if (!name || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target.closest("input, select, textarea, .scroll")) return;
    const step = link(name);
    if (!step) return;
    event.preventDefault();
    pause();
    go(step.href);
  });

  addEventListener("popstate", () => { pause(); show(location.href); });
  // An answer that comes or fails after a reader has left calls no one back; a reader who returns sees where they are.
  addEventListener("beforeunload", () => { pause(); asking.abort(); });
  addEventListener("pageshow", (event) => { if (event.persisted) show(location.href); });
  document.addEventListener("visibilitychange", () => { if (document.hidden) pause(); });
  showButton();
})();
