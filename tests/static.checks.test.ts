/** Static checks as a test, so that they run concurrently with the other tests instead of before them. */
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

test("format, types, imports and lint are in order", { timeout: 60 * 60_000 }, async () => {
  const PATH = [join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const child = spawn(process.execPath, ["scripts/check.ts"], {
    cwd: ROOT,
    env: { ...process.env, PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(await ended, out + err).toBe(0);
  console.log(out);
});
