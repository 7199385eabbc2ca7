/**
 * Turns the form of the editor page into a code editor with highlighting, a draft stored in the browser, file drop, and
 * the run next to it. The script submits the same form, and shows what the server rendered.
 */
import type { Language } from "@kernelbot/core";
import { openCode } from "./editor/code-editor.ts";
import { openDrafts, type DraftState } from "./editor/drafts.ts";
import { onDrop, readSourceFile } from "./editor/files.ts";
import { findingsOf } from "./editor/review-findings.ts";
import { part } from "./editor/elements.ts";
import { send } from "./editor/submit.ts";
import { openWatch } from "./editor/run-pane.ts";

const DRAFT_WORDS: Record<DraftState, string> = {
  kept: "Draft kept in this browser.",
  none: "",
  refused: "This browser keeps no draft: hand it in, or save it elsewhere, before you leave.",
};

const form = document.querySelector<HTMLFormElement>("#editor");
if (form !== null) edit(form);

function edit(form: HTMLFormElement): void {
  const textarea = part(form, "#source", HTMLTextAreaElement);
  const fileName = part(form, "[name=fileName]", HTMLInputElement);
  const fileInput = part(form, "[name=file]", HTMLInputElement);
  const key = part(form, "[name=key]", HTMLInputElement);
  const discard = part(form, "#discard", HTMLButtonElement);
  const origin = part(form, "#origin");
  const refusal = part(form, "#refusal");
  const mostBytes = Number(form.dataset["mostBytes"]);
  const endings = Object.entries(JSON.parse(form.dataset["endings"] ?? "{}") as Record<string, Language>);
  const languageOf = (name: string) => endings.find(([ending]) => name.toLowerCase().endsWith(ending))?.[1] ?? null;
  /** Text from the server: a starter, or a submission's source. */
  const given = textarea.value;
  let language = languageOf(fileName.value);
  /** Text submitted last, which the findings refer to. */
  let handedIn: string | null = null;

  const drafts = openDrafts(form.dataset["problem"] ?? "", {
    language: () => language,
    text: () => code.text(),
    given,
    said,
  });
  const draft = drafts.read();
  const host = document.createElement("div");
  host.className = "code-editor";
  textarea.after(host);
  textarea.hidden = true;
  const code = openCode(host, {
    text: draft ?? given,
    label: "Source. Tab indents; to leave, press Escape and then Tab.",
    run: press,
  });
  if (draft !== null && form.dataset["origin"] !== "starter") {
    code.replace(given);
    origin.append(" It stands in the place of your draft, which Undo brings back.");
  } else if (draft !== null) said("kept");
  speak();
  tellSize();
  code.onChange(() => {
    drafts.keepSoon();
    tellSize();
  });

  function said(state: DraftState): void {
    part(form, "#draft").textContent = DRAFT_WORDS[state];
    discard.hidden = state !== "kept";
  }

  function tellSize(): void {
    const bytes = new Blob([code.text()]).size;
    const size = part(form, "#size");
    size.textContent = `${bytes.toLocaleString("en-US")} of ${mostBytes.toLocaleString("en-US")} bytes`;
    size.classList.toggle("bad", bytes > mostBytes);
  }

  /** Replaces the text, with a note on its origin. */
  function put(name: string, text: string, from: string): void {
    fileName.value = name;
    speak();
    code.replace(text);
    origin.textContent = `${from} Undo brings back what was here.`;
    refuse([]);
  }

  function speak(): void {
    language = languageOf(fileName.value);
    void code.speak(language);
    const signIn = document.querySelector<HTMLAnchorElement>(".sign-in-first a");
    if (signIn !== null) signIn.href = `/sign-in?${new URLSearchParams({ next: comeBack() })}`;
  }

  /** Returns the path to return to after signing in, with the language of the draft. */
  function comeBack(): string {
    return `${location.pathname}${language === null ? "" : `?language=${language}`}`;
  }

  function take(file: File): void {
    fileInput.value = "";
    readSourceFile(file, mostBytes).then(
      (text) => put(file.name, text, `This is ${file.name}.`),
      (error: unknown) => refuse([error instanceof Error ? error.message : String(error)]),
    );
  }

  function refuse(why: readonly (Node | string)[]): void {
    const notice = document.createElement("p");
    notice.className = "notice bad";
    notice.append(...why);
    refusal.replaceChildren(...(why.length === 0 ? [] : [notice]));
    if (why.length > 0) refusal.scrollIntoView({ block: "nearest" });
  }

  /** Presses the button of a mode, for its key binding. */
  function press(mode: "test" | "ranked"): void {
    const button = document.querySelector<HTMLButtonElement>(`button[name=mode][value=${mode}]`);
    if (button === null) refuse(["Sign in to hand it in; what you wrote stays in this browser."]);
    else if (!button.disabled) form.requestSubmit(button);
  }

  async function handIn(button: HTMLButtonElement): Promise<void> {
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    textarea.value = code.text();
    const sent = await send(form, button);
    form.ariaBusy = null;
    if ("refusal" in sent) {
      refuse(sent.refusal);
      if (sent.signIn !== null) part(document, ".modes").replaceWith(sent.signIn);
      return;
    }
    key.value = newKey();
    refuse([]);
    handedIn = textarea.value;
    code.mark([]);
    watch.show(sent.address, sent.page);
  }

  /** Marks the findings of a run, if the text is still the one that was submitted. */
  async function markFindings(runId: string): Promise<void> {
    const findings = await findingsOf(runId);
    if (code.text() === handedIn) code.mark(findings);
  }

  const watch = openWatch(part(document, "#watch"), part(document, "#history"), {
    ended: ([runId]) => void (runId !== undefined && markFindings(runId)),
    restored: (id, name, text) => put(name, text, `This is the source of submission ${id}.`),
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter instanceof HTMLButtonElement) void handIn(event.submitter);
  });
  fileName.addEventListener("change", speak);
  fileInput.addEventListener("change", () => {
    const [file] = fileInput.files ?? [];
    if (file !== undefined) take(file);
  });
  onDrop(form, take);
  discard.addEventListener("click", () => {
    drafts.discard();
    fileName.value = fileName.defaultValue;
    speak();
    // The language of the page may have a draft of its own, which was not to be discarded.
    code.replace(drafts.read() ?? given);
    code.focus();
  });
}

/** Returns an idempotency key in the server's format. `randomUUID` does not exist on pages without HTTPS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
