/** Submits the form without leaving the page. */
import { pageOf } from "./elements.ts";

export type Sent =
  | { address: string; page: Document }
  /** Why the submission was rejected, in the server's words, and its sign-in link if the viewer is not signed in. */
  | { refusal: readonly Node[]; signIn: Element | null };

/** Submits the form as the button would. The form has an idempotency key, so sending it again creates no second submission. */
export async function send(form: HTMLFormElement, button: HTMLButtonElement): Promise<Sent> {
  const body = new FormData(form);
  body.set(button.name, button.value);
  const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "text/html" } }).catch(() => null);
  if (answer === null)
    return failed("The server cannot be reached. Try again: the source will not be submitted twice.");
  const page = pageOf(await answer.text());
  const { pathname } = new URL(answer.url);
  if (answer.ok && /^\/submissions\/\d+$/.test(pathname)) return { address: pathname, page };
  const refusal = page.querySelector("#refusal") ?? page.querySelector("main .notice") ?? page.querySelector("h1");
  if (refusal === null) return failed(`The server responded with status ${answer.status}. Try again.`);
  return { refusal: [...refusal.childNodes], signIn: page.querySelector(".sign-in-first") };
}

function failed(message: string): Sent {
  return { refusal: [document.createTextNode(message)], signIn: null };
}
