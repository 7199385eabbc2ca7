/** A script of ours as a test, so that it shares the cores with the others instead of coming before them. */
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
/** Slow machines included. */
export const TIMEOUT_MS = 60 * 60_000;

/** What it printed. It must end with exit code 0; else it is shown whole. */
export async function passes(script: string): Promise<string> {
  const PATH = [join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const child = spawn(process.execPath, [join("scripts", script)], {
    cwd: ROOT,
    env: { ...process.env, PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(await ended, out + err).toBe(0);
  return out + err;
}
