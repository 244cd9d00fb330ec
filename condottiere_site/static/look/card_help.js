// What a card does, at the card itself: on hover, focus, tap and long press. The words are those of
// "Cards of this game" on the same page, where they can be read without script.
"use strict";

{
  const LONG_PRESS = 450; // milliseconds
  const box = document.createElement("div");
  box.className = "card-help";
  box.popover = "manual";
  let pressing = 0;
  let leaving = 0;
  let isPressed = false;

  const cardAt = (target) => {
    const card = target.closest?.(".card") ?? target.querySelector?.(":scope .card");
    return card && wordsOf(card) ? card : null;
  };

  function wordsOf(card) {
    const key = card.classList.contains("mercenary") ? "mercenary" : /\bcard-([a-z]+)/.exec(card.className)?.[1];
    return document.getElementById(`does-${key}`)?.textContent ?? "";
  }

  function show(card) {
    clearTimeout(leaving);
    const idle = card.closest("[data-idle]")?.dataset.idle;
    const name = document.createElement("b");
    name.textContent = card.firstChild?.textContent ?? "";
    box.replaceChildren(name, ` ${wordsOf(card)}`);
    if (idle) {
      const note = document.createElement("em");
      note.textContent = idle;
      box.append(note);
    }
    if (!box.isConnected) document.body.append(box);
    box.showPopover?.();
    place(card.getBoundingClientRect());
  }

  function place(at) {
    const gap = 6;
    const { width, height } = box.getBoundingClientRect();
    const above = at.top - height - gap;
    box.style.top = `${above > 0 ? above : at.bottom + gap}px`;
    box.style.left = `${Math.max(gap, Math.min(at.left, document.documentElement.clientWidth - width - gap))}px`;
  }

  function hide() {
    clearTimeout(leaving);
    if (box.isConnected && box.matches(":popover-open")) box.hidePopover();
  }

  if (box.showPopover) listen();

  function listen() {
    document.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "mouse") return;
      if (box.contains(event.target)) return clearTimeout(leaving);
      const card = event.target.closest(".card");
      if (card && cardAt(card)) show(card);
    });
    // The pointer may go onto the words themselves.
    document.addEventListener("pointerout", (event) => {
      if (event.pointerType === "mouse" && event.target.closest(".card, .card-help")) leaving = setTimeout(hide, 200);
    });
    document.addEventListener("focusin", (event) => {
      const card = event.target.matches(":focus-visible") && event.target.matches("button, input") && cardAt(event.target.closest("label") ?? event.target);
      if (card) show(card);
      else hide();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
    });
    document.addEventListener("scroll", hide, { passive: true });
    document.addEventListener("pointerdown", (event) => {
      isPressed = false;
      const card = event.pointerType === "touch" && event.target.closest(".card");
      if (!card || !cardAt(card)) return;
      pressing = setTimeout(() => {
        isPressed = true;
        show(card);
      }, LONG_PRESS);
    });
    for (const over of ["pointerup", "pointercancel"]) document.addEventListener(over, () => clearTimeout(pressing));
    document.addEventListener("contextmenu", (event) => {
      if (isPressed) event.preventDefault();
    });
    // A long press reads a card and does not play it; a tap on a card that is no button reads it too.
    document.addEventListener(
      "click",
      (event) => {
        const card = event.target.closest(".card");
        if (isPressed && card) event.preventDefault();
        else if (card && !card.closest("button, label, a, summary") && cardAt(card)) show(card);
        else hide();
        isPressed = false;
      },
      true,
    );
  }
}

// What a picked card leads to comes into view: on a phone its button would be below the window.
document.addEventListener("change", ({ target }) => {
  if (target.name === "pick") target.closest("label").nextElementSibling?.scrollIntoView({ block: "nearest" });
});
