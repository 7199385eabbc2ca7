/** Drafts: the text for a problem in a language, stored in this browser until discarded. */
import type { Language } from "@kernelbot/core";

/** Delay after the last change until a draft is saved, in milliseconds. Leaving the page saves the draft at once. */
const KEEP_AFTER_MS = 400;

/** Result of saving: saved, not needed because the text equals the given one, or refused by the browser's storage. */
export type DraftState = "kept" | "none" | "refused";

export interface Drafts {
  /** Returns the draft in the current language; null if there is none. */
  read: () => string | null;
  keepSoon: () => void;
  /** Deletes the draft, and cancels a pending save. */
  discard: () => void;
}

export interface DraftOptions {
  language: () => Language | null;
  text: () => string;
  /** Text from the server, which needs no draft. */
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

/** Runs a storage operation, which fails if the browser's storage is full or blocked. */
function attempt<T>(act: () => T, otherwise: T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof DOMException) return otherwise;
    throw error;
  }
}
