// The service worker: it shows notifications, says that it did, and opens their page. Without a connection, it shows the
// offline page. It keeps that page and its files, and no other. The site writes OFFLINE above this line.
"use strict";

self.addEventListener("install", (event) => event.waitUntil(keepOfflinePage().then(() => self.skipWaiting())));

self.addEventListener("activate", (event) => event.waitUntil(takeOver()));

async function keepOfflinePage() {
  const cache = await caches.open(OFFLINE.name);
  // Asked for without cookies: what is kept is the same for everyone.
  await cache.addAll([OFFLINE.page, ...OFFLINE.files].map((path) => new Request(path, { cache: "reload", credentials: "omit" })));
}

async function takeOver() {
  const older = (await caches.keys()).filter((name) => name !== OFFLINE.name);
  await Promise.all(older.map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable(); // the page is asked for while this worker starts
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(fromNetwork(event, OFFLINE.page));
  else if (OFFLINE.files.includes(pathname)) event.respondWith(fromNetwork(event, pathname));
});

async function fromNetwork(event, kept) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(kept, { ignoreVary: true })) ?? Response.error();
  }
}

self.addEventListener("push", (event) => event.waitUntil(show(event.data.json())));

async function show({ title, path, tag, shown, waiting }) {
  if (waiting !== undefined) await self.navigator.setAppBadge?.(waiting).catch(() => {}); // only installed sites have one
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
