import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { inspectRun } from "./inspect.ts";
import { similarTo, storeFingerprints } from "./similar.ts";

/** Sources with this word cannot be computed on in a test that calls `poison`. */
const POISON = "POISON";

/** Makes the computation threads fail on the poisoned sources. */
function poison(): void {
  const { postMessage: post } = Object.getOwnPropertyDescriptors(Worker.prototype);
  const posted = vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker, task: object) {
    post.value?.call(this, JSON.stringify(task).includes(POISON) ? { ...task, input: null } : task);
  });
  onTestFinished(() => posted.mockRestore());
}

useScene();

/** Returns a kernel with this number of distinct statements, whose identifiers use `name`. */
function kernel(seed: number, name: string, statements = 30): string {
  const calls = ["add", "mul", "sub", "max", "min", "exp", "log", "sum"];
  const lines = Array.from({ length: statements }, (_, at) => {
    const pick = (by: number) => calls[Math.floor(Math.abs(Math.sin(seed * 131 + at * 17 + by) * 1e4)) % calls.length];
    return `    ${name} = torch.${pick(1)}(${name}, data[${at}].${pick(2)}().${pick(3)}())`;
  });
  return ["def custom_kernel(data):", `    ${name} = data[0]`, ...lines, `    return ${name}`, ""].join("\n");
}

test("finds a renamed copy among many, with its time and differences", async () => {
  const original = await submitted(database, ann, { source: kernel(1, "x") });
  for (let seed = 2; seed < 12; seed += 1) await submitted(database, root, { source: kernel(seed, "x") });
  const copy = await submitted(database, bob, { source: `# mine\n${kernel(1, "renamed")}`, fileName: "mine.py" });
  while ((await storeFingerprints(database, 5)) > 0);
  const [nearest, ...others] = (await similarTo(database, copy)) ?? [];
  expect(nearest).toMatchObject({ submissionId: original, account: ann.account, earlier: true, similarity: 1 });
  expect(nearest?.diff?.[0]?.lines).toContainEqual({ kind: "added", text: "# mine", a: null, b: 1 });
  expect(others.every(({ similarity, diff }) => similarity < 0.5 && diff === null)).toBe(true);
  expect((await similarTo(database, original))?.[0]).toMatchObject({ submissionId: copy, earlier: false });
});

test("finds a copy although thousands of others share each of its fingerprints", async () => {
  // Hashes in the upper half, which sort after those of the other sources.
  const upper = (source: string) => (createHash("sha256").update(source).digest()[0] ?? 0) >= 128;
  const seed = Array.from({ length: 100 }, (_, at) => at).find((at) => upper(kernel(at, "x"))) ?? 0;
  const original = await submitted(database, ann, { source: kernel(seed, "x") });
  const copy = await submitted(database, bob, { source: `${kernel(seed, "renamed")}# mine\n` });
  while ((await storeFingerprints(database)) > 0);
  await database.sql`
    insert into fingerprint (value, size, code)
    select value, 1, substring(int8send(n * (1::bigint << 50)) for 8)
    from (select distinct value from fingerprint) as f cross join generate_series(1, 3000) as n`;
  const [nearest] = (await similarTo(database, copy)) ?? [];
  expect(nearest).toMatchObject({ submissionId: original, similarity: 1 });
});

test("the account's own sources and those of other problems are not duplicates", async () => {
  const id = await submitted(database, ann, { source: kernel(1, "x") });
  await submitted(database, ann, { source: kernel(1, "y") });
  await submitted(database, bob, { source: kernel(1, "z"), board: "triple" });
  await storeFingerprints(database);
  expect(await similarTo(database, id)).toEqual([]);
});

test("stores the fingerprints of a source once, also from two servers", async () => {
  for (let seed = 0; seed < 8; seed += 1) await submitted(database, ann, { source: kernel(seed, "x") });
  const stored = await Promise.all([1, 2, 3].map(() => storeFingerprints(database, 8)));
  expect(stored.reduce((sum, count) => sum + count)).toBe(8);
  expect(await storeFingerprints(database)).toBe(0);
});

test("a source whose fingerprints cannot be computed delays no other, and is tried again later", async () => {
  poison();
  await submitted(database, bob, { source: `# ${POISON}\n` });
  const original = await submitted(database, ann, { source: kernel(1, "x") });
  const copy = await submitted(database, bob, { source: kernel(1, "y") });
  expect(await storeFingerprints(database)).toBe(3);
  expect(await similarTo(database, copy)).toMatchObject([{ submissionId: original, similarity: 1 }]);
  const failed = await database.sql`select fingerprint_error as error from code where not fingerprinted`;
  expect(failed).toEqual([{ error: expect.stringContaining("Error") as string }]);
  expect(await storeFingerprints(database)).toBe(0);
  await database.sql`update code set fingerprint_due_at = now() where not fingerprinted`;
  expect(await storeFingerprints(database)).toBe(1);
});

test("a run is inspected although its source cannot be compared", async () => {
  poison();
  const { account } = bob;
  const id = await submitted(database, bob, { source: `# ${POISON}\n` });
  expect(await inspectRun(database, id)).toMatchObject({ run: { submissionId: id }, account, similar: null });
});
