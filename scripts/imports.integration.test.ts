/** The import rules of `.dependency-cruiser.js`, tested on a small tree of files that follow or violate them. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const SERVER = "packages/server/src";
/** Suffix of the rules for the files of a feature that are not routes. */
const DOMAIN = "(?!routes/|feature\\.ts$)";
/** The rule for routes and integrations. */
const ROUTES = `${SERVER}/([^/]+/(routes/|feature\\.ts$)|integrations/)`;
const SERVER_FOLDERS = readdirSync(join(ROOT, SERVER), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const FILES: Record<string, string> = {
  "package.json": '{ "workspaces": ["packages/*"], "devDependencies": { "vitest": "*" } }',
  "node_modules/vitest/package.json": '{ "main": "index.js" }',
  "node_modules/vitest/index.js": "",
  "node_modules/zod/package.json": '{ "main": "index.js" }',
  "node_modules/zod/index.js": "",
  ...Object.fromEntries(
    ["core", "web", "runner"].flatMap((name) => [
      [`packages/${name}/package.json`, `{ "name": "@kernelbot/${name}", "exports": { ".": "./src/index.ts" } }`],
      [`packages/${name}/src/index.ts`, ""],
    ]),
  ),
  "packages/cli/package.json": '{ "dependencies": { "@kernelbot/core": "*", "zod": "*" } }',

  [`${SERVER}/app.ts`]: 'import "./boards/routes/pages.ts"; import "./integrations/discord/bot.ts";',
  [`${SERVER}/boards/routes/pages.ts`]:
    'import "@kernelbot/web"; import "../../queue/claim.ts"; import "../../http/forms.ts"; import "../../serve.ts";',
  [`${SERVER}/serve.ts`]: "",
  [`${SERVER}/integrations/discord/bot.ts`]: 'import "../../queue/claim.ts";',
  [`${SERVER}/http/forms.ts`]: 'import "../runs/report.ts"; import "../auth/tokens.ts";',
  [`${SERVER}/auth/tokens.ts`]: "",
  [`${SERVER}/main.ts`]: 'import "./app.ts"; import "./queue/claim.ts";',
  [`${SERVER}/queue/claim.ts`]:
    'import "../http/forms.ts"; import "../boards/routes/rows.ts"; import "../runs/report.ts"; import "../observe/log.ts";',
  [`${SERVER}/queue/lease.ts`]: 'import "../integrations/discord/bot.ts";',
  [`${SERVER}/boards/routes/rows.ts`]: "",
  [`${SERVER}/queue/order.test.ts`]: 'import "@kernelbot/testing/queue.ts";',
  "packages/testing/src/queue.ts": 'import "./database.ts";',
  [`${SERVER}/queue/claim.integration.test.ts`]:
    'import "../app.ts"; import "@kernelbot/testing/database.ts"; import "vitest";',
  [`${SERVER}/observe/log.ts`]: "",
  [`${SERVER}/runs/report.ts`]: 'export * from "../boards/boards.ts";',
  [`${SERVER}/boards/boards.ts`]: 'import type { Submission } from "../submissions/submit.ts";',
  [`${SERVER}/submissions/submit.ts`]: "export interface Submission {}",
  [`${SERVER}/new-feature/new-feature.ts`]: 'import "node:fs";',
  "packages/testing/package.json": '{ "name": "@kernelbot/testing", "exports": { "./*": "./src/*" } }',
  "packages/testing/src/database.ts": "",
  [`${SERVER}/http/test-page.ts`]: 'import "@kernelbot/testing/database.ts"; import "./follow.test.ts";',
  [`${SERVER}/http/follow.test.ts`]: "",
  ...Object.fromEntries(SERVER_FOLDERS.map((folder) => [`${SERVER}/${folder}/far.ts`, 'import "@kernelbot/runner";'])),

  "packages/cli/src/main.ts": 'import "@kernelbot/web"; import "@kernelbot/core"; import "zod";',
  "packages/cli/src/tools.ts": 'import "vitest"; import "./missing.ts";',
  "packages/cli/src/commands.ts": 'import "../../../features/cli.ts";',
  "packages/cli/src/boards.ts": 'import "../../../features/cli.ts"; import "../../../features/news/cli.ts";',
  "features/cli.ts": 'import "./news/cli.ts"; import "./digest/cli.ts";',
  "features/news/cli.ts": 'await import("./print.ts");',
  "features/news/print.ts": 'import "../digest/cli.ts"; import "../../packages/cli/src/output/text.ts";',
  "features/digest/cli.ts": `import "../../${SERVER}/runs/report.ts";`,
  "packages/cli/src/output/text.ts": "",
  "packages/core/src/score/score.ts": 'await import("node:fs"); import "zod";',
  "packages/core/src/score/score.test.ts": 'import "node:fs";',
  "packages/core/src/run/states.ts":
    'import "../score/score.ts"; import "../text/text.ts"; import "../../../web/src/index.ts";',
  "packages/core/src/text/text.ts": "",
  "packages/core/src/new-folder/new.ts": 'import "../text/text.ts";',
  "packages/runner/src/agent.ts": 'import type { Lease } from "./lease.ts"; export interface Agent {}',
  "packages/runner/src/lease.ts": 'export interface Lease { of: import("./agent.ts").Agent }',
};

const Cruise = z.object({
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

const tree = mkdtempSync(join(tmpdir(), "kernelbot-imports-"));
let violations: z.infer<typeof Cruise>["summary"]["violations"];

beforeAll(async () => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  mkdirSync(join(tree, "node_modules/@kernelbot"));
  for (const name of ["core", "web", "runner", "testing"]) {
    symlinkSync(join(tree, "packages", name), join(tree, "node_modules/@kernelbot", name));
  }
  const depcruise = join(ROOT, "node_modules/.bin/depcruise");
  const config = join(ROOT, ".dependency-cruiser.js");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [depcruise, "--config", config, "--output-type", "json", "packages"],
    { cwd: tree },
  );
  ({ violations } = Cruise.parse(JSON.parse(stdout)).summary);
});

afterAll(() => rmSync(tree, { recursive: true }));

/** Runs the check in the tree. */
function checkImports(...args: string[]): { status: number | null; printed: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/imports.ts"), ...args], {
    cwd: tree,
    encoding: "utf8",
  });
  return { status, printed: `${stdout}${stderr}` };
}

/** Returns the violations of a file: each forbidden import with its rule. */
function refusedImports(path: string): string[] {
  return violations
    .filter(({ from }) => from === path)
    .map(({ to, rule }) => `${rule.name}: ${to}`)
    .sort();
}

test("the domain code of a feature may not import http, integrations, or routes, not even its own", () => {
  expect(refusedImports(`${SERVER}/queue/claim.ts`)).toEqual([
    `${SERVER}/queue/${DOMAIN}: ${SERVER}/boards/routes/rows.ts`,
    `${SERVER}/queue/${DOMAIN}: ${SERVER}/http/forms.ts`,
  ]);
  expect(refusedImports(`${SERVER}/queue/lease.ts`)).toEqual([
    `${SERVER}/queue/${DOMAIN}: ${SERVER}/integrations/discord/bot.ts`,
  ]);
});

test("http is plumbing: it may import auth, but no other feature", () => {
  expect(refusedImports(`${SERVER}/http/forms.ts`)).toEqual([`${SERVER}/http/${DOMAIN}: ${SERVER}/runs/report.ts`]);
});

test("routes and integrations may import every feature, and only the program may import the program", () => {
  expect(refusedImports(`${SERVER}/integrations/discord/bot.ts`)).toEqual([]);
  expect(refusedImports(`${SERVER}/main.ts`)).toEqual([]);
  expect(refusedImports(`${SERVER}/app.ts`)).toEqual([]);
  expect(refusedImports(`${SERVER}/boards/routes/pages.ts`)).toEqual([`${ROUTES}: ${SERVER}/serve.ts`]);
});

test("the command line may not import the site", () => {
  expect(refusedImports("packages/cli/src/main.ts")).toEqual(["packages/cli/: packages/web/src/index.ts"]);
});

test("the platform imports the list of the optional features in one file, and a feature no other", () => {
  expect(refusedImports("packages/cli/src/commands.ts")).toEqual([]);
  expect(refusedImports("packages/cli/src/boards.ts")).toEqual([
    "optional-features-in-their-lists: features/cli.ts",
    "optional-features-in-their-lists: features/news/cli.ts",
    "packages/cli/: features/news/cli.ts",
  ]);
  expect(refusedImports("features/news/print.ts")).toEqual(["no-optional-feature-in-another: features/digest/cli.ts"]);
});

test("the commands of optional features reach no code of the server", () => {
  expect(refusedImports("features/cli.ts")).toContain(`no-server-in-the-cli: ${SERVER}/runs/report.ts`);
});

test("data flows from submissions to queue to runs to boards: imports against it are refused, of types and in exports too", () => {
  expect(refusedImports(`${SERVER}/runs/report.ts`)).toEqual([`${SERVER}/runs/${DOMAIN}: ${SERVER}/boards/boards.ts`]);
  expect(refusedImports(`${SERVER}/boards/boards.ts`)).toEqual([
    `${SERVER}/boards/${DOMAIN}: ${SERVER}/submissions/submit.ts`,
  ]);
});

test.for(SERVER_FOLDERS)("%s of the server has a row of the areas that it may import", (folder) => {
  const area = folder === "integrations" ? ROUTES : `${SERVER}/${folder}/${DOMAIN}`;
  expect(refusedImports(`${SERVER}/${folder}/far.ts`)).toEqual([`${area}: packages/runner/src/index.ts`]);
});

test("a folder without a row may import nothing", () => {
  expect(refusedImports(`${SERVER}/new-feature/new-feature.ts`)).toEqual(["area-without-rules: fs"]);
});

test("core may not import modules of Node.js, not even dynamically, nor packages that it does not declare", () => {
  expect(refusedImports("packages/core/src/score/score.ts")).toEqual([
    "no-io-in-core: fs",
    "no-undeclared-package: node_modules/zod/index.js",
  ]);
});

test("a folder of core may import those below it in the list, and only folders in the list have imports", () => {
  expect(refusedImports("packages/core/src/run/states.ts")).toEqual([
    "packages/core/src/run/: packages/core/src/score/score.ts",
    "packages/core/src/run/: packages/web/src/index.ts",
  ]);
  expect(refusedImports("packages/core/src/new-folder/new.ts")).toEqual([
    "area-without-rules: packages/core/src/text/text.ts",
  ]);
});

test("two files may not import each other's types", () => {
  expect(violations.filter(({ rule }) => rule.name === "no-circular")).toHaveLength(1);
  expect(refusedImports("packages/runner/src/agent.ts")).toEqual(["no-circular: packages/runner/src/lease.ts"]);
});

test("product code may not import tests, fixtures, or packages that are installed for tests only", () => {
  expect(refusedImports(`${SERVER}/http/test-page.ts`)).toEqual([
    `no-test-support-in-product: ${SERVER}/http/follow.test.ts`,
    "no-test-support-in-product: packages/testing/src/database.ts",
    `${SERVER}/http/${DOMAIN}: packages/testing/src/database.ts`,
  ]);
  expect(refusedImports("packages/cli/src/tools.ts")).toContain("no-undeclared-package: node_modules/vitest/index.js");
});

test("an import must lead to a file", () => {
  expect(refusedImports("packages/cli/src/tools.ts")).toContain("no-unresolvable: ./missing.ts");
});

test("tests may import any area, test support, and modules of Node.js", () => {
  expect(refusedImports(`${SERVER}/queue/claim.integration.test.ts`)).toEqual([]);
  expect(refusedImports("packages/core/src/score/score.test.ts")).toEqual([]);
});

test("a unit test may not reach a database, a browser or a program, not even through other files", () => {
  expect(refusedImports(`${SERVER}/queue/order.test.ts`)).toEqual([
    "unit-tests-need-nothing: packages/testing/src/database.ts",
  ]);
});

test("the check prints each refused import with its rule, and each cycle with its files", () => {
  expect(checkImports("packages/cli").printed).toContain(
    "packages/cli/src/main.ts imports packages/web/src/index.ts\n    packages/cli/: may import its own files and packages/core",
  );
  expect(checkImports("packages/runner")).toEqual({
    status: 1,
    printed: `import cycle: ${["agent", "lease", "agent"].map((name) => `packages/runner/src/${name}.ts`).join("\n    -> ")}\n`,
  });
});

test("the check passes where every import is allowed", () => {
  expect(checkImports("packages/web")).toEqual({ status: 0, printed: "the imports of 1 modules follow the rules\n" });
});
