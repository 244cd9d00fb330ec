// The service worker of notifications: it shows them, says that it did, and opens their page. It stores nothing.
"use strict";

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("push", (event) => event.waitUntil(show(event.data.json())));

async function show({ title, path, tag, shown }) {
  if (!(await isInView(path))) {
    await self.registration.showNotification(title, { tag, data: { path } });
  }
  await fetch(shown, { method: "POST" });
}

// A page in front of its reader says the same on its own.
async function isInView(path) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return pages.some((page) => page.focused && new URL(page.url).pathname === path);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

async function open(path) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname === path);
  return page ? page.focus() : self.clients.openWindow(path);
}
