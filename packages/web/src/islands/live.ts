/**
 * Keeps a page up to date. An element with `data-live` names the address of a stream of updates, or says `no` where nothing
 * can change any more. For each update the page is fetched anew, and what the server says otherwise of the element is
 * swapped in; it then fires `swapped`, for islands that have drawn there. The server renders everything; this only moves
 * it. Without script the page is complete as it was loaded.
 */

/** How long after a stream or a page was refused, or the server was away, it is tried again; milliseconds. */
const AGAIN_MS = 10_000;

for (const live of document.querySelectorAll<HTMLElement>("[data-live]")) {
  if (isGoingOn(live)) follow(live);
}

function isGoingOn({ dataset: { live } }: HTMLElement): boolean {
  return live !== undefined && live !== "" && live !== "no";
}

function follow(live: HTMLElement): void {
  /** The element as the server last sent it: what islands made of it is not looked at. */
  let served: Element = live.cloneNode(true) as Element;
  let refreshing = false;
  let again = false;
  let source: EventSource;

  async function refresh(): Promise<void> {
    again = true;
    if (refreshing) return;
    refreshing = true;
    while (again) {
      again = false;
      const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => undefined);
      if (answer?.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
      // The page is not there any more, or not for this reader: he is left what he has.
      else if (answer && answer.status < 500 && answer.status !== 429) live.dataset["live"] = "no";
      else setTimeout(() => void refresh(), AGAIN_MS);
    }
    refreshing = false;
    if (!isGoingOn(live)) source.close();
  }

  function swap(fresh: Document): void {
    const next = live.id === "" ? fresh.querySelector("[data-live]") : fresh.getElementById(live.id);
    if (next === null) return;
    document.title = fresh.title;
    merge(live, next, new Map(Array.from(served.querySelectorAll("[id]"), (part) => [part.id, part])));
    served = next;
    live.dispatchEvent(new Event("swapped", { bubbles: true }));
  }

  function listen(): void {
    source = new EventSource(live.dataset["live"] ?? "");
    source.addEventListener("update", () => void refresh());
    source.addEventListener("finished", () => {
      source.close();
      void refresh();
    });
    // The browser connects again by itself, and names the last number; but not after an answer that is no stream.
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(() => void resume(), AGAIN_MS);
    });
  }

  async function resume(): Promise<void> {
    await refresh();
    if (isGoingOn(live)) listen();
  }

  listen();
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
      } else if (id === "" || served.get(id)?.isEqualNode(next) !== true) merge(old, next, served);
    }
  }
  while (at !== null) {
    const gone: ChildNode = at;
    at = at.nextSibling;
    gone.remove();
  }
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
