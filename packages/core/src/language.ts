/**
 * The languages of submissions. The name of a file tells its language, and a problem says which ones it takes.
 */
import { z } from "zod";

export const LANGUAGES = ["py", "cpp", "cu"] as const;
/** Python, C++ for a CPU, CUDA C++. */
export const Language = z.enum(LANGUAGES);
export type Language = z.infer<typeof Language>;

/** How the names of files end; the first is the one to tell people. */
export const EXTENSIONS: Record<Language, readonly [string, ...string[]]> = {
  py: [".py"],
  cpp: [".cpp", ".cc", ".cxx"],
  cu: [".cu"],
};

/** What the compiler of a language is told beside our own flags. Submissions bring none. */
const Compiled = z.strictObject({ flags: z.array(z.string().min(1).max(200)).max(100).default([]) });

/** The languages that a problem takes; of a compiled one its flags. */
export const Languages = z
  .strictObject({ py: z.strictObject({}), cpp: Compiled, cu: Compiled })
  .partial()
  .refine((languages) => Object.keys(languages).length > 0, `name at least one of ${LANGUAGES.join(", ")}`);
export type Languages = z.infer<typeof Languages>;

/** Those of a problem that does not name any. */
export const PYTHON_ALONE: Languages = { py: {} };

/** The language of a file by its name; null where the name tells none that we know. */
export function languageOf(fileName: string): Language | null {
  const name = fileName.toLowerCase();
  return LANGUAGES.find((language) => EXTENSIONS[language].some((extension) => name.endsWith(extension))) ?? null;
}
