/**
 * Applies the filter fields of a board or a KernelBench entry while they are used: they change the URL, and the island
 * `live` loads the page of that URL. Rows selected for the chart work in the same way.
 */
const live = document.getElementById("live");
const filters = document.querySelector<HTMLFormElement>("#filters");
const chosen = document.querySelector<HTMLFormElement>("#chosen");

/** Delay after the last input in milliseconds. */
const PAUSE_MS = 120;
const FIELDS = Array.from(
  filters?.querySelectorAll<HTMLInputElement>("[name]:not([type=hidden])") ?? [],
  ({ name }) => name,
);

let waiting: ReturnType<typeof setTimeout> | undefined;

filters?.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(filter, PAUSE_MS);
});
filters?.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  filter();
});

function filter(): void {
  if (filters === null) return;
  const data = new FormData(filters);
  const url = new URL(location.href);
  for (const name of FIELDS) {
    const value = data.get(name);
    if (typeof value === "string" && value !== "") url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  // Another selection of rows is shown from its first row on.
  url.searchParams.delete("from");
  show(url);
}

chosen?.addEventListener("submit", (event) => {
  const { submitter } = event;
  if (!(submitter instanceof HTMLButtonElement) || submitter.name === "target") return;
  event.preventDefault();
  const url = new URL(location.href);
  url.searchParams.delete("with");
  for (const id of new FormData(chosen).getAll("with")) if (typeof id === "string") url.searchParams.append("with", id);
  show(url);
  document.getElementById("progress")?.scrollIntoView({ block: "nearest" });
});

function show(url: URL): void {
  url.hash = "";
  history.replaceState(null, "", url);
  live?.dispatchEvent(new Event("live:refresh"));
}
