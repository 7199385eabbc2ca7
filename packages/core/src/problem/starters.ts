/** Starter files for participants: the problem's templates, with file names that match their language. */
import { readDirectives } from "../submission/directives.ts";
import { EXTENSIONS, languageOf, type Language } from "../vocabulary/language.ts";
import type { Problem } from "../vocabulary/specification.ts";
import { parseTaskFile } from "./task-file.ts";

export interface Starter {
  /** Name of the template, as given by the problem's author: `Python`, `CUDA`. */
  name: string;
  language: Language;
  fileName: string;
  source: string;
}

/** Starter of a Python problem without templates. */
const EMPTY = "def custom_kernel(data):\n    raise NotImplementedError  # The problem says what data holds.\n";

/**
 * Returns one starter per template: `kernel.py`, `kernel.cpp`, and for further templates of a language names such as
 * `kernel_triton.py`. Templates with the same path, such as a CUDA source that is also valid HIP, share one starter
 * with both names.
 */
export function startersOf({ spec, files }: Problem): Starter[] {
  // An imported problem has no known interface.
  if (spec.harness === "imported") return [];
  const paths = parseTaskFile(spec.name, files["task.yml"]).templates;
  const starters = new Map<string, Starter>();
  const byPath = new Map<string, Starter>();
  for (const [template, source] of Object.entries(spec.templates)) {
    const path = paths[template] ?? "";
    const language = languageOf(path);
    if (language === null || spec.languages[language] === undefined) continue;
    const same = byPath.get(path);
    if (same !== undefined) {
      same.name += ` and ${template}`;
      continue;
    }
    const [ending] = EXTENSIONS[language];
    const word = template
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "")
      .slice(0, 40);
    const fileName = starters.has(`kernel${ending}`) ? `kernel_${word}${ending}` : `kernel${ending}`;
    const starter = { name: template, language, fileName, source: withBoard(source, language, spec.name) };
    starters.set(fileName, starter);
    byPath.set(path, starter);
  }
  if (starters.size === 0 && spec.languages.py !== undefined) {
    return [{ name: "Python", language: "py", fileName: "kernel.py", source: withBoard(EMPTY, "py", spec.name) }];
  }
  return [...starters.values()];
}

/** Adds the directive that names the board, so that `kernelbot submit FILE` needs no options. */
function withBoard(source: string, language: Language, board: string): string {
  if (readDirectives(source).board !== undefined) return source;
  return `${language === "py" ? "#!" : "//!"}KERNELBOT board ${board}\n${source}`;
}
