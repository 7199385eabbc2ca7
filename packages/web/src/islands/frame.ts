/** Script of pages that another site shows in a frame or a window of its own. */

/** Asks the site to close the frame, by the message that it understands. */
const close = document.querySelector<HTMLElement>("[data-close-message]");
close?.addEventListener("click", () => {
  const site = (window.opener as Window | null) ?? window.parent;
  site.postMessage({ subject: close.dataset.closeMessage }, "*");
});

/** Returns a choice to the site. */
document.querySelector<HTMLFormElement>("form[data-post-at-once]")?.submit();

/** Continues when the user comes back from the window in which they chose. */
const next = document.querySelector<HTMLAnchorElement>("a[data-reload-when-visible]");
document.addEventListener("visibilitychange", () => {
  if (next !== null && document.visibilityState === "visible") window.location.replace(next.href);
});
