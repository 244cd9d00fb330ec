// What an installed site has besides its pages: the service worker, and a number on its icon. Pages of people who are
// signed in name the worker; any other page takes the number away.
"use strict";

const { worker } = document.currentScript.dataset;

function showWaiting() {
  const known = document.querySelector("[data-waiting]");
  if (known) navigator.setAppBadge?.(Number(known.dataset.waiting)).catch(() => {});
}

if (worker) {
  showWaiting();
  document.addEventListener("htmx:after:swap", showWaiting);
  // After the page's own files: it needs none of this.
  addEventListener("load", () => navigator.serviceWorker?.register(worker).catch(() => {}));
} else {
  navigator.clearAppBadge?.().catch(() => {});
}
