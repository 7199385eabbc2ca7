/** Grammars, each loaded at its first use: a kernel is in one language. */
import type { Extension } from "@codemirror/state";
import { indentUnit } from "@codemirror/language";
import type { Language } from "@kernelbot/core";

/** Returns what Tab inserts, which does not wait for the grammar: somebody may type before it is loaded. */
export function indentOf(language: Language | null): Extension {
  return indentUnit.of(language === "py" ? "    " : "  ");
}

export async function grammarOf(language: Language | null): Promise<Extension> {
  if (language === null) return [];
  if (language === "py") return (await import("@codemirror/lang-python")).python();
  return (await import("@codemirror/lang-cpp")).cpp();
}
