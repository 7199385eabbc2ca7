/**
 * Applies the filter fields of a board or a KernelBench entry while they are used: they change the URL, and the island
 * `live` loads the page of that URL. Rows selected for the chart work in the same way.
 */
const live = document.getElementById("live");

/** Delay after the last input in milliseconds. */
const DEBOUNCE_MS = 120;

let timer: ReturnType<typeof setTimeout> | undefined;

// On the document, since an update of the page may replace the forms.
document.addEventListener("input", ({ target }) => {
  const filters = formOf(target, "#filters");
  if (filters === null) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    applyFilter(filters);
  }, DEBOUNCE_MS);
});
document.addEventListener("submit", (event) => {
  const filters = formOf(event.target, "#filters");
  const selection = formOf(event.target, "#chosen");
  const { submitter } = event;
  if (filters !== null) {
    event.preventDefault();
    clearTimeout(timer);
    applyFilter(filters);
  } else if (selection !== null && submitter instanceof HTMLButtonElement && submitter.name !== "target") {
    event.preventDefault();
    applySelection(selection);
  }
});

function formOf(target: EventTarget | null, selector: string): HTMLFormElement | null {
  return target instanceof Element ? target.closest<HTMLFormElement>(selector) : null;
}

function applyFilter(filters: HTMLFormElement): void {
  const data = new FormData(filters);
  const url = new URL(location.href);
  for (const { name } of filters.querySelectorAll<HTMLInputElement>("[name]:not([type=hidden])")) {
    const value = data.get(name);
    if (typeof value === "string" && value !== "") url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  // A changed filter starts at its first row.
  url.searchParams.delete("from");
  show(url);
}

function applySelection(selection: HTMLFormElement): void {
  const url = new URL(location.href);
  url.searchParams.delete("with");
  for (const id of new FormData(selection).getAll("with"))
    if (typeof id === "string") url.searchParams.append("with", id);
  show(url);
  document.getElementById("progress")?.scrollIntoView({ block: "nearest" });
}

function show(url: URL): void {
  url.hash = "";
  history.replaceState(null, "", url);
  live?.dispatchEvent(new Event("live:refresh"));
}
