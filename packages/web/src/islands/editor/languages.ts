/** Grammars, each loaded at its first use: a kernel is in one language. */
import type { Extension } from "@codemirror/state";
import { indentUnit } from "@codemirror/language";
import type { Language } from "@kernelbot/core";

export async function grammarOf(language: Language | null): Promise<Extension> {
  if (language === null) return [];
  if (language === "py") return [(await import("@codemirror/lang-python")).python(), indentUnit.of("    ")];
  return [(await import("@codemirror/lang-cpp")).cpp(), indentUnit.of("  ")];
}
