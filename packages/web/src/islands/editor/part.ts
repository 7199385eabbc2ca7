/** A part that the page has. @throws where it is missing: page and script do not fit each other. */
export function part(root: ParentNode, selector: string): HTMLElement;
export function part<T extends HTMLElement>(root: ParentNode, selector: string, kind: new () => T): T;
export function part(root: ParentNode, selector: string, kind = HTMLElement): HTMLElement {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`the editor's page has no ${selector}`);
}

/** A page of this server. */
export function pageOf(text: string): Document {
  return new DOMParser().parseFromString(text, "text/html");
}
