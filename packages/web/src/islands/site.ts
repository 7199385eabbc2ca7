/** On every page: says a moment in the reader's own time, and copies what has a button for it. */

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Null where the reader lives by UTC at that moment. */
function local(time: HTMLTimeElement): string | null {
  const moment = new Date(time.dateTime);
  return moment.getTimezoneOffset() === 0 ? null : `${LOCAL.format(moment)} your time`;
}

/** Ten thousand moments on a board: each is said when it is pointed at. */
function onPoint({ target }: Event): void {
  const time = target instanceof Element ? target.closest("time") : null;
  const own = time === null ? null : local(time);
  if (time !== null && own !== null) time.title = own;
}

document.addEventListener("pointerover", onPoint);
document.addEventListener("focusin", onPoint);

function sayOwn(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time.both")) {
    const words = local(time);
    if (words === null || time.nextElementSibling?.className === "own-time") continue;
    const own = document.createElement("small");
    own.className = "own-time";
    own.textContent = words;
    time.after(own);
  }
}
sayOwn();
// What the server sends anew says nothing of the reader's time.
document.addEventListener("live:swapped", sayOwn);

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-copy]") : null;
  if (button === null) return;
  const from = document.getElementById(button.dataset["copy"] ?? "");
  void navigator.clipboard.writeText(from?.textContent ?? "").then(() => {
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
});
// A button that copies shows only where it can.
document.documentElement.classList.add("scripted");
