// The service worker: keeps every file of the folder, so that the page works without a network.
const KEPT = null /* what is kept */;
const NAME = `vecsim-playground-${KEPT.version}`;

addEventListener("install", (event) => {
  const kept = caches.open(NAME).then((cache) => cache.addAll(["./", ...KEPT.files]));
  event.waitUntil(kept.then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const names = caches.keys();
  const old = names.then((all) => all.filter((name) => name.startsWith("vecsim-playground-") && name !== NAME));
  event.waitUntil(old.then((all) => Promise.all(all.map((name) => caches.delete(name)))).then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const found = caches.open(NAME).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(found.then((response) => response ?? fetch(event.request)));
});
