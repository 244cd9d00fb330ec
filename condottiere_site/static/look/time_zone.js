// Fills in the browser's time zone, so that times are shown in it. Without it, the account keeps its zone.
"use strict";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const field of document.querySelectorAll('input[name="browser_zone"]')) field.value = zone ?? "";
