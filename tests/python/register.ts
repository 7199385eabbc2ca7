/**
 * Registers each test of a Python unittest module as a Vitest test of the same name. A process of the server in
 * setup.ts runs the module.
 */
import { randomUUID } from "node:crypto";
import { on, once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findPython } from "@kernelbot/tester";
import { afterAll, beforeAll, inject, test } from "vitest";
import { z } from "zod";

const Tests = z.object({ tests: z.array(z.string()) });
const Result = z.object({
  id: z.string().nullable(),
  outcome: z.enum(["passed", "failed", "skipped"]),
  text: z.string(),
});
const ROOT = join(import.meta.dirname, "../..");
/** Timeout in ms. Some tests judge for minutes, and slow machines take several times as long. */
const TIMEOUT_MS = 30 * 60_000;

/**
 * Registers the tests of the module at a path. They run in the module's order.
 * @throws Error with Python's output when the module cannot be imported.
 */
export async function registerPythonModule(path: string): Promise<void> {
  const server = inject("pythonModules");
  // Python was not found; throws the reason.
  if (server === null) await findPython();
  const log = join(inject("scratch"), `python-${randomUUID()}.log`);
  writeFileSync(log, "");
  const connection = createConnection(server ?? "");
  const closed = once(connection, "close");
  connection.write(`${JSON.stringify({ path, cwd: ROOT, env: process.env, printed: log })}\n`);
  const lines = on(createInterface(connection), "line", { close: ["close"] });
  const next = async (): Promise<unknown> => {
    const { value } = (await lines.next()) as { value?: [string] };
    return value === undefined ? undefined : JSON.parse(value[0]);
  };
  /** Failed fixtures of classes and of the module. */
  let failures = "";
  const results = new Map<string, z.infer<typeof Result>>();
  /** Returns the error for tests without a result, with Python's last output. */
  const missing = async (what: string): Promise<Error> => {
    await closed;
    return new Error(`${what} of ${path}. ${failures}Python printed:\n${readFileSync(log, "utf8")}`);
  };
  /** Reads the next result. Returns false after the last one. */
  const readResult = async (): Promise<boolean> => {
    const line = await next();
    if (line === undefined) return false;
    const result = Result.parse(line);
    if (result.id === null) failures += `${result.text}\n`;
    else results.set(result.id, result);
    return true;
  };
  const resultOf = async (id: string) => {
    for (;;) {
      const known = results.get(id);
      if (known !== undefined) return known;
      if (!(await readResult())) throw await missing(`no result of ${id}`);
    }
  };

  const first = await next();
  if (first === undefined) throw await missing("no list of the tests");
  const { tests } = Tests.parse(first);
  // Vitest requires that unused fixtures are destructured.
  beforeAll(({}, suite) => {
    const names = suite.tasks.filter(({ mode }) => mode === "run").map(({ name }) => name);
    connection.write(`${JSON.stringify(names)}\n`);
  });
  afterAll(async () => {
    connection.end();
    while (await readResult());
    await closed;
    // Fixtures after the last test of a class, such as the check that its tests have not damaged the tester.
    if (failures !== "") throw new Error(failures);
  }, TIMEOUT_MS);
  for (const id of tests) {
    test(id, { timeout: TIMEOUT_MS }, async (context) => {
      const { outcome, text } = await resultOf(id);
      if (outcome === "skipped") context.skip(text);
      if (outcome === "failed") throw new Error(text);
      if (text !== "") console.log(`passed only when repeated: ${path} > ${id}: ${text}`);
    });
  }
}
