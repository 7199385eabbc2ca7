/** Pane that shows the progress of a submission, as its own page does, and the list of earlier submissions. */
import { follow } from "../live.ts";
import { pageOf, part } from "./elements.ts";

export interface Watch {
  /** Shows a submission from its page, in place of the previous one. */
  show: (address: string, page: Document) => void;
}

export interface WatchOptions {
  /** Called with the IDs of the runs once the submission that is shown is finished. */
  ended: (runIds: string[]) => void;
  /** Called with the source of an earlier submission that is to be edited again. */
  restored: (id: string, fileName: string, text: string) => void;
}

export function openWatch(pane: HTMLElement, history: HTMLElement, { ended, restored }: WatchOptions): Watch {
  let stop = (): void => undefined;

  function show(address: string, page: Document): void {
    stop();
    const runs = document.importNode(part(page, "#runs"), true);
    const cancel = cancelButton(address);
    pane.replaceChildren(heading(address, cancel), runs);
    const finish = (): void => {
      cancel.remove();
      void refreshHistory();
      ended(Array.from(runs.querySelectorAll("[id^=run-]"), ({ id }) => id.slice("run-".length)));
    };
    if (runs.dataset["live"] === "no") return finish();
    stop = follow(runs, { page: address, ended: finish });
    void refreshHistory();
  }

  async function refreshHistory(): Promise<void> {
    const fresh = (await read(location.pathname))?.getElementById(history.id);
    if (fresh != null && fresh.innerHTML !== history.innerHTML) history.replaceChildren(...fresh.childNodes);
  }

  history.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("[data-restore]") : null;
    const { restore: id, file } = link?.dataset ?? {};
    if (link === null || id === undefined || file === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    void fetch(`/api/v1/submissions/${id}/source`)
      .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(answer.statusText))))
      .then((text) => restored(id, file, text))
      // The page of the link reports the reason.
      .catch(() => location.assign(link.href));
  });

  const current = pane.dataset["watch"] ?? "";
  if (current !== "") void read(current).then((page) => page && show(current, page));
  return { show };
}

async function read(address: string): Promise<Document | null> {
  const answer = await fetch(address, { headers: { accept: "text/html" } }).catch(() => null);
  return answer?.ok === true ? pageOf(await answer.text()) : null;
}

function heading(address: string, cancel: HTMLElement): HTMLElement {
  const line = document.createElement("p");
  const link = document.createElement("a");
  link.href = address;
  link.textContent = `Submission ${address.split("/").at(-1)}`;
  line.className = "row";
  line.append(link, cancel);
  return line;
}

/** Returns a button that cancels the submission. The result is visible in the run itself. */
function cancelButton(address: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "Cancel";
  button.addEventListener("click", () => {
    button.disabled = true;
    void fetch(`/api/v1${address}/cancel`, { method: "POST" })
      .then(({ ok }) => ok)
      .catch(() => false)
      .then((done) => (button.disabled = done));
  });
  return button;
}
