// The button on the account page that lets this browser show notifications. Without it, nothing is missing but them.
"use strict";

const form = document.getElementById("push-here");
const canNotify = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
document.getElementById("push-unable").hidden = canNotify;
form.hidden = !canNotify;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const refused = document.getElementById("push-refused");
  refused.hidden = true;
  try {
    fill(await subscribed());
    form.submit();
  } catch {
    refused.hidden = false;
  }
});

async function subscribed() {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("refused");
  const { pushManager } = await navigator.serviceWorker.ready; // registered by installed.js
  await (await pushManager.getSubscription())?.unsubscribe(); // it may be for an older key of the site
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.key });
}

function fill(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  form.elements.endpoint.value = endpoint;
  form.elements.p256dh.value = keys.p256dh;
  form.elements.auth.value = keys.auth;
}
