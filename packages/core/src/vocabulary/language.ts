/** Languages of submissions. The file extension determines the language; a problem lists the languages it accepts. */
import { z } from "zod";

export const LANGUAGES = ["py", "cpp", "cu"] as const;
/** Python, C++ for CPUs, CUDA C++. */
export const Language = z.enum(LANGUAGES);
export type Language = z.infer<typeof Language>;

/** File extensions; the first one is shown to users. */
export const EXTENSIONS: Record<Language, readonly [string, ...string[]]> = {
  py: [".py"],
  cpp: [".cpp", ".cc", ".cxx"],
  cu: [".cu"],
};

/** Compiler flags set by the problem, in addition to the tester's own. Submissions cannot set flags. */
const Compiled = z.strictObject({ flags: z.array(z.string().min(1).max(200)).max(100).default([]) });

/** Languages that a problem accepts; compiled languages with their flags. */
export const Languages = z
  .strictObject({ py: z.strictObject({}), cpp: Compiled, cu: Compiled })
  .partial()
  .refine((languages) => Object.keys(languages).length > 0, `name at least one of ${LANGUAGES.join(", ")}`);
export type Languages = z.infer<typeof Languages>;

/** Default for a problem that names no languages. */
export const PYTHON_ONLY: Languages = { py: {} };

/** Returns the language of a file by its extension; null if unknown. */
export function languageOf(fileName: string): Language | null {
  // A name such as `.py` has no extension.
  const extension = /[^/\\](\.[^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
  return LANGUAGES.find((language) => EXTENSIONS[language].includes(extension)) ?? null;
}
