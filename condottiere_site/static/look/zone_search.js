// A search above the list of time zones: the list keeps the places that hold what is typed.
// Without it, the whole list is there.
"use strict";

{
  const part = document.getElementById("zone-search");
  const search = part?.querySelector("input");
  const list = document.getElementById("id_time_zone");
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("_", " ");

  const whole = list ? [...list.children].map((child) => child.cloneNode(true)) : [];

  function matching(typed) {
    const names = new Map();
    for (const group of whole) {
      for (const one of group.matches("option") ? [group] : group.children) {
        if (plain(`${one.text} ${one.value}`).includes(typed)) names.set(one.value, one);
      }
    }
    return [...names.values()].map((one) => one.cloneNode(true));
  }

  function filter() {
    const typed = plain(search.value.trim());
    const chosen = list.value;
    const found = typed ? matching(typed) : whole.map((child) => child.cloneNode(true));
    if (!found.length) return;
    list.replaceChildren(...found);
    const kept = [...list.options].find((one) => one.value === chosen);
    (typed ? list.options[0] : (kept ?? list.options[0])).selected = true;
  }

  if (search && list) {
    part.hidden = false;
    search.addEventListener("input", filter);
    search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // nothing is saved by searching
      list.focus();
    });
  }
}
