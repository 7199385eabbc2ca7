/** What participants begin with: the problem's templates, under names that tell their language. */
import { readDirectives } from "./directives.ts";
import { EXTENSIONS, languageOf, type Language } from "./language.ts";
import type { Problem } from "./problem-spec.ts";
import { readTask } from "./problem-task.ts";

export interface Starter {
  /** As the problem's author calls it: `Python`, `CUDA`. */
  name: string;
  language: Language;
  fileName: string;
  source: string;
}

/** For a problem in Python that brings no template. */
const EMPTY = "def custom_kernel(data):\n    raise NotImplementedError  # The problem says what data holds.\n";

/**
 * A starter of each template: `kernel.py`, `kernel.cpp`, and of a language's further templates `kernel_triton.py`. What stands
 * for two, such as a source of CUDA that is one of HIP as well, is one starter with both names.
 */
export function startersOf({ spec, files }: Problem): Starter[] {
  // Of an imported problem nothing to begin with is known.
  if (spec.harness === "imported") return [];
  const paths = readTask(spec.name, files["task.yml"]).templates;
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

/** With the line that says where it goes, so that `kernelbot submit FILE` suffices. */
function withBoard(source: string, language: Language, board: string): string {
  if (readDirectives(source).board !== undefined) return source;
  return `${language === "py" ? "#!" : "//!"}KERNELBOT board ${board}\n${source}`;
}
