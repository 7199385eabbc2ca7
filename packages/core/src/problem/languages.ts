/** Languages of a problem, as in `task.yml`: `languages: {py: , cpp: {flags: [-ffast-math]}}`. */
import { languageOf, Languages, PYTHON_ONLY } from "../vocabulary/language.ts";
import { invalidProblem } from "./error.ts";
import type { LegacyHarness } from "./legacy-harness.ts";
import type { ProblemFiles } from "../vocabulary/specification.ts";
import type { TaskFile } from "./task-file.ts";

/** Header that declares the kernel for C++ submissions. */
export const CPP_HEADER = "task.h";

/**
 * Returns the languages in which a problem accepts submissions.
 * @throws KernelBotError `unprocessable`, with the problem, the key and the expected value.
 */
export function languagesOf(
  name: string,
  task: TaskFile,
  files: ProblemFiles,
  legacy: LegacyHarness | null,
): Languages {
  const fail = (what: string) => invalidProblem(name, `task.yml: languages: ${what}`);
  if (legacy !== null) {
    if (task.languages !== undefined) throw fail("a problem with its own harness has no languages; omit the key");
    const language = languageOf(legacy.submissionName) ?? "py";
    return language === "py" ? PYTHON_ONLY : { [language]: { flags: [] } };
  }
  if (task.languages === undefined) return PYTHON_ONLY;
  const requested = Object.entries(task.languages).map(([language, options]) => [language, options ?? {}] as const);
  const parsed = Languages.safeParse(Object.fromEntries(requested));
  if (!parsed.success) {
    throw fail(parsed.error.issues.map((issue) => [...issue.path, issue.message].join(": ")).join("; "));
  }
  const { cpp, cu } = parsed.data;
  if ((cpp ?? cu) !== undefined && files[CPP_HEADER] === undefined) {
    throw fail(`C++ needs a ${CPP_HEADER} next to task.yml that declares custom_kernel`);
  }
  return parsed.data;
}
