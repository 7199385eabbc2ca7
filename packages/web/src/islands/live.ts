/**
 * Keeps a page up to date. An element with `data-live` names the address of a stream of updates, or says `no` where nothing
 * can change any more. For each update the page is fetched anew, and what the server says otherwise of the element is
 * swapped in. The server renders everything; this only moves it. Without script the page is complete as it was loaded.
 *
 * Islands ask for a look by `live:refresh` on the element, and hear `live:swapped` there. A part marked `data-kept` that the
 * server renders otherwise hears `live:fresh` with its new self, and stays as it is where an island has taken that over by
 * `preventDefault`.
 */

/** How long after a stream or a page was refused, or the server was away, it is tried again; milliseconds. */
const AGAIN_MS = 10_000;

for (const live of document.querySelectorAll<HTMLElement>("[data-live]")) follow(live);

function isGoingOn({ dataset: { live } }: HTMLElement): boolean {
  return live !== undefined && live !== "" && live !== "no";
}

export interface FollowOptions {
  /** The address of the page that has the element too, where it is not the one that is open. */
  page?: string;
  /** Told once nothing can change any more. */
  ended?: () => void;
}

/** Follows an element until nothing can change any more. @returns a function that ends it before. */
export function follow(live: HTMLElement, { page, ended }: FollowOptions = {}): () => void {
  /** The element as the server last sent it: what islands made of it is not looked at. */
  let served: Element = live.cloneNode(true) as Element;
  let refreshing = false;
  let again = false;
  let stopped = false;
  let source: EventSource | undefined;

  async function refresh(): Promise<void> {
    again = true;
    if (refreshing) return;
    refreshing = true;
    while (again) {
      again = false;
      const answer = await fetch(page ?? location.href, { headers: { accept: "text/html" } }).catch(() => undefined);
      const text = answer?.ok ? await answer.text() : undefined;
      if (stopped) return;
      if (text !== undefined) swap(new DOMParser().parseFromString(text, "text/html"));
      // The page is not there any more, or not for this reader: he is left what he has.
      else if (answer && answer.status < 500 && answer.status !== 429) live.dataset["live"] = "no";
      else setTimeout(() => void refresh(), AGAIN_MS);
    }
    refreshing = false;
    if (isGoingOn(live)) return;
    source?.close();
    ended?.();
  }

  function swap(fresh: Document): void {
    const next = live.id === "" ? fresh.querySelector("[data-live]") : fresh.getElementById(live.id);
    if (next === null) return;
    if (page === undefined) document.title = fresh.title;
    merge(live, next, new Map(Array.from(served.querySelectorAll("[id]"), (part) => [part.id, part])));
    served = next;
    live.dispatchEvent(new Event("live:swapped", { bubbles: true }));
  }

  function listen(): void {
    const stream = new EventSource(live.dataset["live"] ?? "");
    source = stream;
    stream.addEventListener("update", () => void refresh());
    stream.addEventListener("finished", () => {
      stream.close();
      void refresh();
    });
    // The browser connects again by itself, and names the last number; but not after an answer that is no stream.
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => void resume(), AGAIN_MS);
    });
  }

  async function resume(): Promise<void> {
    await refresh();
    if (!stopped && isGoingOn(live)) listen();
  }

  live.addEventListener("live:refresh", () => void refresh());
  if (isGoingOn(live)) listen();
  return () => {
    stopped = true;
    source?.close();
  };
}

/**
 * Makes `into` equal to `from`, keeping what stays: elements by their id, the others by their place. A part with an id of
 * which the server says the same as before is left as it is, with what islands or the reader made of it.
 */
function merge(into: Element, from: Element, served: ReadonlyMap<string, Element>): void {
  copyAttributes(into, from);
  const kept = new Map(Array.from(into.children, (child) => [child.id, child]));
  let at: ChildNode | null = into.firstChild;
  for (const next of from.childNodes) {
    const id = next instanceof Element ? next.id : "";
    const old = id === "" ? (isAlike(at, next) ? at : null) : (kept.get(id) ?? null);
    if (old === null) into.insertBefore(next.cloneNode(true), at);
    else {
      if (old === at) at = old.nextSibling;
      else into.insertBefore(old, at);
      if (!(old instanceof Element && next instanceof Element)) {
        if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
      } else if (id === "" || (served.get(id)?.isEqualNode(next) !== true && !isTakenOver(old, next))) {
        merge(old, next, served);
      }
    }
  }
  while (at !== null) {
    const gone: ChildNode = at;
    at = at.nextSibling;
    gone.remove();
  }
}

/** Whether an island shows by itself what is new in a part. */
function isTakenOver(part: Element, detail: Element): boolean {
  if (!part.hasAttribute("data-kept")) return false;
  return !part.dispatchEvent(new CustomEvent("live:fresh", { detail, cancelable: true }));
}

/** Whether a node without an id can become the next one. */
function isAlike(node: ChildNode | null, next: ChildNode): node is ChildNode {
  return node !== null && node.nodeName === next.nodeName && !(node instanceof Element && node.id !== "");
}

/** All but `open`, by which the reader has unfolded something. */
function copyAttributes(into: Element, from: Element): void {
  for (const name of into.getAttributeNames()) {
    if (name !== "open" && !from.hasAttribute(name)) into.removeAttribute(name);
  }
  for (const name of from.getAttributeNames()) {
    const value = from.getAttribute(name) ?? "";
    if (name !== "open" && into.getAttribute(name) !== value) into.setAttribute(name, value);
  }
}
