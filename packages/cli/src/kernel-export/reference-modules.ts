import type { Problem } from "@kernelbot/core";
import { importedModules, reachableModules } from "./python-imports.ts";
import { RANDOM_INPUTS } from "./random-inputs.ts";

/** Returns the files of a problem that its reference needs, by path: the reference, and what it imports. */
export function referenceModules({ files }: Problem): Map<string, string> {
  const texts = new Map(
    Object.entries(files).flatMap(([path, text]) => (path.endsWith(".py") ? [[path.slice(0, -3), text] as const] : [])),
  );
  const reference = texts.get("reference") ?? "";
  const modules = new Map([["reference", reference], ...reachableModules(reference, texts)]);
  const paths = new Map([...modules].map(([name, text]) => [`${name}.py`, text]));
  if ([...modules.values()].some((text) => importedModules(text).has("kernelbot_tester"))) {
    paths.set("kernelbot_tester/__init__.py", "");
    paths.set("kernelbot_tester/inputs.py", RANDOM_INPUTS);
  }
  return paths;
}
