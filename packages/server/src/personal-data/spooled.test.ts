import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { spooled } from "./spooled.ts";

const encoder = new TextEncoder();
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("kernelbot-"));

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("a stream is produced to its end although its reader has read one part only", async () => {
  const before = new Set(folders());
  const produced = Promise.withResolvers<undefined>();
  const bytes = spooled(async function* () {
    for (let n = 0; n < 100; n += 1) yield encoder.encode(`${n} `.padEnd(10_000));
    produced.resolve(undefined);
  });
  const first = await bytes.next();
  await produced.promise;
  const rest = await collect(bytes);
  const text = Buffer.from(first.value ?? []).toString() + rest;
  expect([text.length, text.slice(-10_000).trim()]).toEqual([1_000_000, "99"]);
  expect(folders().filter((name) => !before.has(name))).toEqual([]);
});

test("the error of a stream is thrown after the bytes before it", async () => {
  const bytes = spooled(async function* () {
    yield await Promise.resolve(encoder.encode("before"));
    throw new Error("the database is gone");
  });
  expect(Buffer.from((await bytes.next()).value ?? []).toString()).toBe("before");
  await expect(bytes.next()).rejects.toThrow("the database is gone");
});

test("a reader that ends stops the stream", async () => {
  let stopped: AbortSignal | undefined;
  const bytes = spooled(async function* (signal) {
    stopped = signal;
    yield encoder.encode("first");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield encoder.encode("second");
  });
  await bytes.next();
  await bytes.return();
  expect(stopped?.aborted).toBe(true);
});
