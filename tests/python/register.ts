/**
 * Registers each test of a Python unittest module as a Vitest test of the same name. One interpreter runs the module.
 */
import { spawn } from "node:child_process";
import { on } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { findPython } from "@kernelbot/tester";
import { afterAll, beforeAll, test } from "vitest";
import { z } from "zod";

const Tests = z.object({ tests: z.array(z.string()) });
const Result = z.object({
  id: z.string().nullable(),
  outcome: z.enum(["passed", "failed", "skipped"]),
  text: z.string(),
});
/** Timeout in ms. Some tests judge for minutes, and slow machines take several times as long. */
const TIMEOUT_MS = 30 * 60_000;

/**
 * Registers the tests of the module at a path. They run in the module's order.
 * @throws Error with Python's output when the module cannot be imported.
 */
export async function registerPythonModule(path: string): Promise<void> {
  const { path: python } = await findPython();
  const child = spawn(python, ["-u", join(import.meta.dirname, "run_module.py"), path], {
    cwd: join(import.meta.dirname, "../.."),
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  const closed = new Promise((resolve) => child.once("close", resolve));
  const reader = createInterface({ input: child.stdio[3] as Readable });
  const lines = on(reader, "line", { close: ["close"] });
  const next = async (): Promise<unknown> => {
    const { value } = (await lines.next()) as { value?: [string] };
    return value === undefined ? undefined : JSON.parse(value[0]);
  };
  const results = new Map<string, z.infer<typeof Result>>();
  /** Returns the error for tests without a result, with Python's last output. */
  const missing = async (what: string): Promise<Error> => {
    await closed;
    return new Error(`${what} of ${path}. Python printed:\n${printed}`);
  };
  const resultOf = async (id: string) => {
    for (;;) {
      const known = results.get(id);
      if (known !== undefined) return known;
      const line = await next();
      if (line === undefined) throw await missing(`no result of ${id}`);
      const result = Result.parse(line);
      if (result.id === null) printed += result.text;
      else results.set(result.id, result);
    }
  };

  const first = await next();
  if (first === undefined) throw await missing("no list of the tests");
  const { tests } = Tests.parse(first);
  // Vitest requires that unused fixtures are destructured.
  beforeAll(({}, suite) => {
    const names = suite.tasks.filter(({ mode }) => mode === "run").map(({ name }) => name);
    child.stdin.end(`${JSON.stringify(names)}\n`);
  });
  afterAll(async () => {
    child.stdin.end();
    await closed;
  }, TIMEOUT_MS);
  for (const id of tests) {
    test(id, { timeout: TIMEOUT_MS }, async (context) => {
      const { outcome, text } = await resultOf(id);
      if (outcome === "skipped") context.skip(text);
      if (outcome === "failed") throw new Error(text);
    });
  }
}
