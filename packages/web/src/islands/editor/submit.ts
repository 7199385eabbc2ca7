/** Submits the form without leaving the page. */
import { pageOf } from "./elements.ts";

export type Sent =
  | { address: string; page: Document }
  /** Why the submission was rejected, in the server's words, and its sign-in link if the viewer is not signed in. */
  | { refusal: readonly Node[]; signIn: Element | null };

/** Sends the form as the button would. The same form sent again, as after a broken connection, is one submission. */
export async function send(form: HTMLFormElement, button: HTMLButtonElement): Promise<Sent> {
  const body = new FormData(form);
  body.set(button.name, button.value);
  const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "text/html" } }).catch(() => null);
  if (answer === null) return refused("The server cannot be reached. Press again: it will not be handed in twice.");
  const page = pageOf(await answer.text());
  const { pathname } = new URL(answer.url);
  if (answer.ok && /^\/submissions\/\d+$/.test(pathname)) return { address: pathname, page };
  const refusal = page.querySelector("#refusal") ?? page.querySelector("main .notice") ?? page.querySelector("h1");
  if (refusal === null) return refused(`The server answered with status ${answer.status}; press again.`);
  return { refusal: [...refusal.childNodes], signIn: page.querySelector(".sign-in-first") };
}

function refused(words: string): Sent {
  return { refusal: [document.createTextNode(words)], signIn: null };
}
