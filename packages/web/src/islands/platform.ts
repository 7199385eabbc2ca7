/** Script of pages that a learning platform shows in a frame or a window of its own. */

/** Asks the platform to close the frame (LTI Dynamic Registration 1.0). */
document.querySelector("[data-close-frame]")?.addEventListener("click", () => {
  const platform = (window.opener as Window | null) ?? window.parent;
  platform.postMessage({ subject: "org.imsglobal.lti.close" }, "*");
});
