/**
 * Keeps a page up to date: follows the numbers of new events, and for each fetches the page anew and swaps in the parts
 * that changed. The server renders everything; this only moves it. Without script the page is complete as it was loaded.
 */

/** A look besides the events, since a place in the queue changes without one; milliseconds. */
const LOOK_EVERY_MS = 10_000;

const live = document.querySelector<HTMLElement>("[data-live]");
const updates = live?.dataset["live"];
if (live && updates !== undefined && updates !== "no") follow(live, updates);

function follow(live: HTMLElement, updates: string): void {
  let refreshing = false;
  let again = false;
  let source: EventSource;

  async function refresh(): Promise<void> {
    again = true;
    if (refreshing) return;
    refreshing = true;
    while (again) {
      again = false;
      const response = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => undefined);
      // A server that is away for a moment is asked again at the next event or look.
      if (response?.ok) swap(live, new DOMParser().parseFromString(await response.text(), "text/html"));
    }
    refreshing = false;
    if (live.dataset["live"] === "no") end();
  }

  function listen(): void {
    source = new EventSource(updates);
    source.addEventListener("update", () => void refresh());
    source.addEventListener("finished", () => {
      source.close();
      void refresh();
    });
    // The browser connects again by itself, except after an answer that is not a stream.
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, LOOK_EVERY_MS);
    });
  }

  function end(): void {
    source.close();
    clearInterval(look);
  }

  listen();
  const look = setInterval(() => void refresh(), LOOK_EVERY_MS);
}

/** Takes over the title and the live part; what is equal stays untouched, so that reading aids hear changes only. */
function swap(live: HTMLElement, fresh: Document): void {
  const next = fresh.querySelector<HTMLElement>("[data-live]");
  if (next === null) return;
  document.title = fresh.title;
  merge(live, next);
  live.dataset["live"] = next.dataset["live"] ?? "no";
}

/** Makes the children of `into` equal to those of `from`, keeping elements that have an id. */
function merge(into: Element, from: Element): void {
  if (into.innerHTML === from.innerHTML) return;
  const kept = new Map(Array.from(into.children, (child) => [child.id, child]));
  const children = Array.from(from.childNodes, (node) => {
    const old = node instanceof Element && node.id !== "" ? kept.get(node.id) : undefined;
    if (old === undefined) return node;
    old.className = (node as Element).className;
    merge(old, node as Element);
    return old;
  });
  into.replaceChildren(...children);
}
