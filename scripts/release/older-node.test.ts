/** Published programs import only what the oldest supported Node.js has. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { OLDEST_NODE, ROOT } from "./bundle.ts";

const IMPORT = /^import (?!type)[^;]*? from "node:[^"]+";/gm;
/** The compiler's number of "Duplicate identifier". */
const DUPLICATE = 2300;
const TYPES = join(ROOT, "node_modules/types-of-node-20");

/** Returns the errors of these imports in the oldest Node.js. A name may be imported several times. */
function errorsOf(source: string): string[] {
  const file = join(ROOT, "imports.ts");
  const options: ts.CompilerOptions = { types: [], noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ESNext) : read(name, ...rest);
  // Some of their dependencies refer to the types of a newer version.
  host.resolveTypeReferenceDirectiveReferences = (references) =>
    references.map(() => ({ resolvedTypeReferenceDirective: undefined }));
  const program = ts.createProgram([file, join(TYPES, "index.d.ts")], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .filter(({ code }) => code !== DUPLICATE)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

test("what programs import from Node.js is in its oldest supported version", () => {
  const { version } = JSON.parse(readFileSync(join(TYPES, "package.json"), "utf8")) as { version: string };
  expect(version.startsWith(`${OLDEST_NODE}.`)).toBe(true);
  const files = globSync("{packages/{core,api,dataset,runner,cli,server}/src,features,tester/node}/**/*.ts", {
    cwd: ROOT,
  });
  const imports = files
    .filter((path) => !path.endsWith(".test.ts"))
    .flatMap((path) => readFileSync(join(ROOT, path), "utf8").match(IMPORT) ?? [])
    .map((text) => text.replaceAll(/\btype \w+,?/g, ""));
  expect(imports.length).toBeGreaterThan(400);
  expect(errorsOf(imports.join("\n"))).toEqual([]);
  expect(errorsOf('import { glob } from "node:fs/promises";')).toEqual([
    "Module '\"node:fs/promises\"' has no exported member 'glob'.",
  ]);
});
