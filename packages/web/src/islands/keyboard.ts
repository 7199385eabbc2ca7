/**
 * Keyboard shortcuts for long lists: `j` and `k` focus the next and the previous element with `data-step`, and the
 * letter of a `data-key` clicks or focuses its element. Letters typed into a field have no effect.
 */
const FIELDS = "input, select, textarea";

function step(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-step]")];
  const at = all.findIndex((each) => each === document.activeElement);
  const next = at === -1 ? (by === 1 ? 0 : all.length - 1) : at + by;
  all[next]?.focus();
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || (target instanceof Element && target.matches(FIELDS))) return;
  const shortcut = /^[a-z]$/.test(key) ? document.querySelector<HTMLElement>(`[data-key="${key}"]`) : null;
  if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
  else if (shortcut instanceof HTMLAnchorElement) shortcut.click();
  else if (shortcut !== null) shortcut.focus();
  else return;
  event.preventDefault();
});
