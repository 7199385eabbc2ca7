/** Drafts: what was written to a problem in a language, kept in this browser until it is discarded. */
import type { Language } from "@kernelbot/core";

/** How long after a key a draft is kept, milliseconds; and always when the page is left. */
const KEEP_AFTER_MS = 400;

/** What became of the text: kept, equal to what was given, or not kept, for the browser gives no room. */
export type DraftState = "kept" | "none" | "refused";

export interface Drafts {
  /** The draft in the language as it is now. */
  read: () => string | null;
  keepSoon: () => void;
  /** Forgets the draft, and what waits to be kept. */
  discard: () => void;
}

export interface DraftOptions {
  language: () => Language | null;
  text: () => string;
  /** The text that needs no draft. */
  given: string;
  said: (state: DraftState) => void;
}

export function openDrafts(problem: string, { language, text, given, said }: DraftOptions): Drafts {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const key = (): string => `kernelbot draft ${problem} ${language() ?? "text"}`;

  function keep(): void {
    if (timer === undefined) return;
    const now = text();
    if (now === given) return discard();
    settle();
    said(attempt(() => (localStorage.setItem(key(), now), true), false) ? "kept" : "refused");
  }

  function discard(): void {
    settle();
    attempt(() => localStorage.removeItem(key()), undefined);
    said("none");
  }

  function settle(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  addEventListener("pagehide", keep);
  return {
    read: () => attempt(() => localStorage.getItem(key()), null),
    keepSoon() {
      clearTimeout(timer);
      timer = setTimeout(keep, KEEP_AFTER_MS);
    },
    discard,
  };
}

/** The room of a browser may be used up, or denied to us. */
function attempt<T>(act: () => T, otherwise: T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof DOMException) return otherwise;
    throw error;
  }
}
