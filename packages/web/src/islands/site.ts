/** Script of every page: shows times in the reader's time zone, and copies texts that have a button for it. */

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Returns a time in the reader's time zone; null if that equals UTC at the time. */
function local(time: HTMLTimeElement): string | null {
  const moment = new Date(time.dateTime);
  return moment.getTimezoneOffset() === 0 ? null : `${LOCAL.format(moment)} local time`;
}

/** Shows the local time as a tooltip on demand, since a board can contain ten thousand times. */
function addTooltip({ target }: Event): void {
  const time = target instanceof Element ? target.closest("time") : null;
  const own = time === null ? null : local(time);
  if (time !== null && own !== null) time.title = own;
}

document.addEventListener("pointerover", addTooltip);
document.addEventListener("focusin", addTooltip);

function showLocalTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time.both")) {
    const text = local(time);
    if (text === null || time.nextElementSibling?.className === "own-time") continue;
    const own = document.createElement("small");
    own.className = "own-time";
    own.textContent = text;
    time.after(own);
  }
}
showLocalTimes();
// Fresh content from the server lacks the local times.
document.addEventListener("live:swapped", showLocalTimes);

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
// Copy buttons are visible only with script.
document.documentElement.classList.add("scripted");
