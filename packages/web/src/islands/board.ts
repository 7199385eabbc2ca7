/**
 * Applies the filter fields of a board or a KernelBench entry while they are used: they change the URL, and the island
 * `live` loads the page of that URL. Rows selected for the chart work in the same way.
 */
const live = document.getElementById("live");
const filters = document.querySelector<HTMLFormElement>("#filters");
const selection = document.querySelector<HTMLFormElement>("#chosen");

/** Delay after the last input in milliseconds. */
const DEBOUNCE_MS = 120;
const FIELDS = Array.from(
  filters?.querySelectorAll<HTMLInputElement>("[name]:not([type=hidden])") ?? [],
  ({ name }) => name,
);

let timer: ReturnType<typeof setTimeout> | undefined;

filters?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(applyFilter, DEBOUNCE_MS);
});
filters?.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  applyFilter();
});

function applyFilter(): void {
  if (filters === null) return;
  const data = new FormData(filters);
  const url = new URL(location.href);
  for (const name of FIELDS) {
    const value = data.get(name);
    if (typeof value === "string" && value !== "") url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  // A changed filter starts at its first row.
  url.searchParams.delete("from");
  show(url);
}

selection?.addEventListener("submit", (event) => {
  const { submitter } = event;
  if (!(submitter instanceof HTMLButtonElement) || submitter.name === "target") return;
  event.preventDefault();
  const url = new URL(location.href);
  url.searchParams.delete("with");
  for (const id of new FormData(selection).getAll("with"))
    if (typeof id === "string") url.searchParams.append("with", id);
  show(url);
  document.getElementById("progress")?.scrollIntoView({ block: "nearest" });
});

function show(url: URL): void {
  url.hash = "";
  history.replaceState(null, "", url);
  live?.dispatchEvent(new Event("live:refresh"));
}
