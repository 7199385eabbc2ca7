/** Drafts: the text for a problem in a language, stored in this browser until discarded. */
import type { Language } from "@kernelbot/core";

/** Delay after the last change until a draft is saved, in milliseconds. Leaving the page saves the draft at once. */
const SAVE_DELAY_MS = 400;

/** Result of saving: saved, not needed because the text equals the initial one, or refused by the browser's storage. */
export type DraftState = "saved" | "none" | "refused";

export interface Drafts {
  /** Returns the draft in the current language; null if there is none. */
  read: () => string | null;
  scheduleSave: () => void;
  /** Deletes the draft, and cancels a pending save. */
  discard: () => void;
}

interface DraftOptions {
  language: () => Language | null;
  text: () => string;
  /** Text from the server, which needs no draft. */
  initialText: string;
  onState: (state: DraftState) => void;
}

export function openDrafts(problem: string, { language, text, initialText, onState }: DraftOptions): Drafts {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const key = (): string => `kernelbot draft ${problem} ${language() ?? "text"}`;

  function save(): void {
    if (timer === undefined) return;
    const now = text();
    if (now === initialText) return discard();
    clearTimer();
    onState(attempt(() => (localStorage.setItem(key(), now), true), false) ? "saved" : "refused");
  }

  function discard(): void {
    clearTimer();
    attempt(() => localStorage.removeItem(key()), undefined);
    onState("none");
  }

  function clearTimer(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  addEventListener("pagehide", save);
  return {
    read: () => attempt(() => localStorage.getItem(key()), null),
    scheduleSave() {
      clearTimeout(timer);
      timer = setTimeout(save, SAVE_DELAY_MS);
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
