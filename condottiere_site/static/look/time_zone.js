// Fills in the browser's time zone, so that times are shown in it. Without it, the account keeps its zone.
"use strict";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const field of document.querySelectorAll('input[name="browser_zone"]')) field.value = zone ?? "";

// The list of zones on the profile, until the person has chosen one.
const list = document.querySelector("select[data-follows-browser]");
if (list && list.value !== zone && [...list.options].some((one) => one.value === zone)) {
  list.value = zone;
  document.getElementById("time-there").hidden = true; // the time in the zone from before
}
