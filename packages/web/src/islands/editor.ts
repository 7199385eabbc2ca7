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

const DRAFT_LABELS: Record<DraftState, string> = {
  saved: "Draft saved in this browser.",
  none: "",
  refused: "This browser cannot store drafts. Submit your source or save it elsewhere before you leave.",
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
  const initialText = textarea.value;
  let language = languageOf(fileName.value);
  /** Text submitted last, which the findings refer to. */
  let submittedText: string | null = null;

  const drafts = openDrafts(form.dataset["problem"] ?? "", {
    language: () => language,
    text: () => code.text(),
    initialText,
    onState: showDraftState,
  });
  const draft = drafts.read();
  const host = document.createElement("div");
  host.className = "code-editor";
  textarea.after(host);
  textarea.hidden = true;
  const code = openCode(host, {
    text: draft ?? initialText,
    label: "Source. Tab indents; to leave, press Escape and then Tab.",
    run: pressButton,
  });
  if (draft !== null && form.dataset["origin"] !== "starter") {
    code.replace(initialText);
    origin.append(" It replaces your draft; Undo restores the draft.");
  } else if (draft !== null) showDraftState("saved");
  updateLanguage();
  showSize();
  code.onChange(() => {
    drafts.scheduleSave();
    showSize();
  });

  function showDraftState(state: DraftState): void {
    part(form, "#draft").textContent = DRAFT_LABELS[state];
    discard.hidden = state !== "saved";
  }

  function showSize(): void {
    const bytes = new Blob([code.text()]).size;
    const size = part(form, "#size");
    size.textContent = `${bytes.toLocaleString("en-US")} of ${mostBytes.toLocaleString("en-US")} bytes`;
    size.classList.toggle("bad", bytes > mostBytes);
  }

  /** Replaces the text, with a note on its origin. */
  function replaceSource(name: string, text: string, from: string): void {
    fileName.value = name;
    updateLanguage();
    code.replace(text);
    origin.textContent = `${from} Undo restores the previous text.`;
    showErrors([]);
  }

  function updateLanguage(): void {
    language = languageOf(fileName.value);
    void code.setLanguage(language);
    const signIn = document.querySelector<HTMLAnchorElement>(".sign-in-first a");
    if (signIn !== null) signIn.href = `/sign-in?${new URLSearchParams({ next: returnPath() })}`;
  }

  /** Returns the path to return to after signing in, with the language of the draft. */
  function returnPath(): string {
    return `${location.pathname}${language === null ? "" : `?language=${language}`}`;
  }

  function loadFile(file: File): void {
    fileInput.value = "";
    readSourceFile(file, mostBytes).then(
      (text) => replaceSource(file.name, text, `This is ${file.name}.`),
      (error: unknown) => showErrors([error instanceof Error ? error.message : String(error)]),
    );
  }

  function showErrors(why: readonly (Node | string)[]): void {
    const notice = document.createElement("p");
    notice.className = "notice bad";
    notice.append(...why);
    refusal.replaceChildren(...(why.length === 0 ? [] : [notice]));
    if (why.length > 0) refusal.scrollIntoView({ block: "nearest" });
  }

  /** Presses the button of a mode, for its key binding. */
  function pressButton(mode: "test" | "ranked"): void {
    const button = document.querySelector<HTMLButtonElement>(`button[name=mode][value=${mode}]`);
    if (button === null) showErrors(["Sign in to submit. Your draft stays in this browser."]);
    else if (!button.disabled) form.requestSubmit(button);
  }

  async function submit(button: HTMLButtonElement): Promise<void> {
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    textarea.value = code.text();
    const sent = await send(form, button);
    form.ariaBusy = null;
    if ("refusal" in sent) {
      showErrors(sent.refusal);
      if (sent.signIn !== null) part(document, ".modes").replaceWith(sent.signIn);
      return;
    }
    key.value = newKey();
    showErrors([]);
    submittedText = textarea.value;
    code.mark([]);
    watch.show(sent.address, sent.page);
  }

  /** Marks the findings of a run, if the text is still the one that was submitted. */
  async function markFindings(runId: string): Promise<void> {
    const findings = await findingsOf(runId);
    if (code.text() === submittedText) code.mark(findings);
  }

  const watch = openWatch(part(document, "#watch"), part(document, "#history"), {
    ended: ([runId]) => void (runId !== undefined && markFindings(runId)),
    restored: (id, name, text) => replaceSource(name, text, `This is the source of submission ${id}.`),
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter instanceof HTMLButtonElement) void submit(event.submitter);
  });
  fileName.addEventListener("change", updateLanguage);
  fileInput.addEventListener("change", () => {
    const [file] = fileInput.files ?? [];
    if (file !== undefined) loadFile(file);
  });
  onDrop(form, loadFile);
  discard.addEventListener("click", () => {
    drafts.discard();
    fileName.value = fileName.defaultValue;
    updateLanguage();
    // The language of the page may have a draft of its own, which is kept.
    code.replace(drafts.read() ?? initialText);
    code.focus();
  });
}

/** Returns an idempotency key in the server's format. `randomUUID` does not exist on pages without HTTPS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
