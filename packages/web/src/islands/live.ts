/**
 * Keeps a page up to date: follows the numbers of new events, and for each fetches the page anew and swaps in the parts
 * that changed. The server renders everything; this only moves it. Without script the page is complete as it was loaded.
 *
 * `data-live-query` is added to the page's address where less than the whole page is fetched. An element marked `data-kept`
 * stays as it is and hears `live:fresh` with its new self. Other islands ask for a look by `live:refresh` on the live part
 * and hear `live:swapped` there.
 */

/** A look besides the events, since a place in the queue changes without one, unless `data-live-look` is `no`; milliseconds. */
const LOOK_EVERY_MS = 10_000;

const live = document.querySelector<HTMLElement>("[data-live]");
const updates = live?.dataset["live"];
if (live) follow(live, updates ?? "no");

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
      const response = await fetch(address(live), { headers: { accept: "text/html" } }).catch(() => undefined);
      // A server that is away for a moment is asked again at the next event or look.
      if (response?.ok) swap(live, new DOMParser().parseFromString(await response.text(), "text/html"));
    }
    refreshing = false;
    if (live.dataset["live"] === "no") end?.();
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

  live.addEventListener("live:refresh", () => void refresh());
  let end: (() => void) | undefined;
  if (updates === "no") return;
  listen();
  const look = live.dataset["liveLook"] === "no" ? undefined : setInterval(() => void refresh(), LOOK_EVERY_MS);
  end = () => {
    source.close();
    clearInterval(look);
  };
}

/** Where the live part is fetched from. */
function address(live: HTMLElement): URL {
  const url = new URL(location.href);
  for (const [name, value] of new URLSearchParams(live.dataset["liveQuery"])) url.searchParams.set(name, value);
  return url;
}

/** Takes over the title and the live part; what is equal stays untouched, so that reading aids hear changes only. */
function swap(live: HTMLElement, fresh: Document): void {
  const next = fresh.querySelector<HTMLElement>("[data-live]");
  if (next === null) return;
  document.title = fresh.title;
  merge(live, next);
  live.dataset["live"] = next.dataset["live"] ?? "no";
  live.dispatchEvent(new Event("live:swapped"));
}

/**
 * Makes the children of `into` equal to those of `from`, keeping elements that have an id. Those that stay in their order
 * are not moved: who types in one of them goes on typing.
 */
function merge(into: Element, from: Element): void {
  if (into.innerHTML === from.innerHTML) return;
  const known = new Map(Array.from(into.children, (child) => [child.id, child]));
  const children = Array.from(from.childNodes, (node) => {
    const old = node instanceof Element && node.id !== "" ? known.get(node.id) : undefined;
    if (old === undefined) return node;
    if (old instanceof HTMLElement && "kept" in old.dataset) {
      old.dispatchEvent(new CustomEvent("live:fresh", { detail: node }));
      return old;
    }
    old.className = (node as Element).className;
    merge(old, node as Element);
    return old;
  });
  const staying = new Set<Node>(children);
  for (const child of Array.from(into.childNodes)) if (!staying.has(child)) child.remove();
  let at = into.firstChild;
  for (const child of children) {
    if (child === at) at = at.nextSibling;
    else into.insertBefore(child, at);
  }
}
