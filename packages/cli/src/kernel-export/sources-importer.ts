/** Python code that imports a problem's files from itself, for programs in one file. */
import type { Problem } from "@kernelbot/core";
import { referenceModules } from "./reference-modules.ts";

/**
 * Returns the code: `SOURCES`, the files by module, and `Sources`, a finder for `sys.meta_path`. It needs `importlib.abc` and
 * `importlib.util`.
 * @param reference name of the module of the reference
 */
export function sourcesImporter(problem: Problem, reference = "reference"): string {
  const sources = [...referenceModules(problem)].map(([path, text]) => {
    const name = path.replace(/(\/__init__)?\.py$/, "").replaceAll("/", ".");
    return `    ${JSON.stringify(name === "reference" ? reference : name)}: ${JSON.stringify(text)},\n`;
  });
  return `#: Files of the problem by module.
SOURCES = {
${sources.join("")}}


class Sources(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the files of the problem."""

    def find_spec(self, fullname, path, target=None):
        return importlib.util.spec_from_loader(fullname, self) if fullname in SOURCES else None

    def get_source(self, fullname):
        return SOURCES[fullname]

    def is_package(self, fullname):
        return any(name.startswith(fullname + ".") for name in SOURCES)
`;
}
