/** Script of pages that a learning platform shows in a frame or a window of its own. */

/** Asks the platform to close the frame (LTI Dynamic Registration 1.0). */
document.querySelector("[data-close-frame]")?.addEventListener("click", () => {
  const platform = (window.opener as Window | null) ?? window.parent;
  platform.postMessage({ subject: "org.imsglobal.lti.close" }, "*");
});

/** Returns a choice to the platform (LTI Deep Linking 2.0). */
document.querySelector<HTMLFormElement>("form[data-post-at-once]")?.submit();

/** Continues when the user comes back from the window in which they chose. */
const next = document.querySelector<HTMLAnchorElement>("a[data-reload-when-visible]");
document.addEventListener("visibilitychange", () => {
  if (next !== null && document.visibilityState === "visible") window.location.replace(next.href);
});
