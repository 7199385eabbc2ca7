/**
 * Keeps a page up to date. The attribute `data-live` of an element is the URL of a stream of updates, or `no` if
 * nothing can change. On each update the page is fetched again, and the parts of the element that the server rendered
 * differently are replaced. All rendering is done by the server. Without script the page is complete as loaded.
 *
 * Islands request a refresh with `live:refresh` on the element, and receive `live:swapped` there. A changed part with
 * `data-kept` receives `live:fresh` with its new version, and is left unchanged if an island calls `preventDefault`.
 */

/** Delay in milliseconds before a failed stream or page is requested again. */
const RETRY_MS = 10_000;

for (const live of document.querySelectorAll<HTMLElement>("[data-live]")) follow(live);

function isActive({ dataset: { live } }: HTMLElement): boolean {
  return live !== undefined && live !== "" && live !== "no";
}

export interface FollowOptions {
  /** URL of the page that contains the element, if it is not the open one. */
  page?: string;
  /** Called once nothing can change. */
  ended?: () => void;
}

/** Follows an element until nothing can change. @returns a function that stops earlier. */
export function follow(live: HTMLElement, { page, ended }: FollowOptions = {}): () => void {
  /** The element as the server last sent it, without the changes by islands. */
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
      // The page is missing or not visible to this reader, who keeps the current content.
      else if (answer && answer.status < 500 && answer.status !== 429) live.dataset["live"] = "no";
      else setTimeout(() => void refresh(), RETRY_MS);
    }
    refreshing = false;
    if (isActive(live)) return;
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
    // The browser reconnects with the last event ID, except after a response that is not a stream.
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => void resume(), RETRY_MS);
    });
  }

  async function resume(): Promise<void> {
    await refresh();
    if (!stopped && isActive(live)) listen();
  }

  live.addEventListener("live:refresh", () => void refresh());
  if (isActive(live)) listen();
  return () => {
    stopped = true;
    source?.close();
  };
}

/**
 * Makes `into` equal to `from` and keeps nodes that remain: elements with an ID are matched by it, other nodes by
 * position. An element with an ID that the server rendered as before is left unchanged, with all changes by islands and
 * the reader.
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
      } else if (id === "" || (served.get(id)?.isEqualNode(next) !== true && !isHandledByIsland(old, next))) {
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

/** Returns whether an island itself shows the new version of a part. */
function isHandledByIsland(part: Element, detail: Element): boolean {
  if (!part.hasAttribute("data-kept")) return false;
  return !part.dispatchEvent(new CustomEvent("live:fresh", { detail, cancelable: true }));
}

/** Returns whether a node without an ID can be updated to the next one. */
function isAlike(node: ChildNode | null, next: ChildNode): node is ChildNode {
  return node !== null && node.nodeName === next.nodeName && !(node instanceof Element && node.id !== "");
}

/** Copies all attributes but `open`, which the reader sets by unfolding an element. */
function copyAttributes(into: Element, from: Element): void {
  for (const name of into.getAttributeNames()) {
    if (name !== "open" && !from.hasAttribute(name)) into.removeAttribute(name);
  }
  for (const name of from.getAttributeNames()) {
    const value = from.getAttribute(name) ?? "";
    if (name !== "open" && into.getAttribute(name) !== value) into.setAttribute(name, value);
  }
}
