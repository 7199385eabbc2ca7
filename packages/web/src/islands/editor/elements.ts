/** Returns an element of the page. @throws if it is missing, since page and script then do not match. */
export function part(root: ParentNode, selector: string): HTMLElement;
export function part<T extends HTMLElement>(root: ParentNode, selector: string, kind: new () => T): T;
export function part(root: ParentNode, selector: string, kind = HTMLElement): HTMLElement {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`the editor's page has no ${selector}`);
}

/** Parses a page of this server. */
export function pageOf(text: string): Document {
  return new DOMParser().parseFromString(text, "text/html");
}
