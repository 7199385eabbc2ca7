import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { strFromU8, unzipSync } from "fflate";
import { inject, expect, test } from "vitest";
import { EvaluationRequest } from "@kernelbot/core";
import { claimed, passing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { personal } from "@kernelbot/testing/personal-data.ts";
import { putArtifact } from "../artifacts/artifacts.ts";
import { openDirectoryStore } from "../artifacts/directory.ts";
import type { ObjectStore } from "../artifacts/store.ts";
import type { Identity } from "../auth/identity.ts";
import { createToken } from "../auth/tokens.ts";
import { createEvaluation } from "../evaluations/create.ts";
import { DEFAULT_EVALUATION_LIMITS as limits } from "../evaluations/limits.ts";
import { reportRun } from "../moderation/flag.ts";
import { readSubmission } from "../submissions/views.ts";
import { exportAccount, exportOwnAccount } from "./export.ts";

useScene();

const asOwner = (identity: Identity): Identity => ({ ...identity, scopes: ["submit", "read", "account"] });

function openStore(): Promise<ObjectStore> {
  return openDirectoryStore(mkdtempSync(`${inject("scratch")}/store-`));
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return chunks;
}

/** Returns the files of an export as text, by path. */
async function unzip(bytes: AsyncIterable<Uint8Array>): Promise<Record<string, string>> {
  const chunks = await collect(bytes);
  const files = Object.entries(unzipSync(Buffer.concat(chunks)));
  return Object.fromEntries(files.map(([path, content]) => [path, strFromU8(content)]));
}

function rowsOf(files: Record<string, string>, table: string): Record<string, unknown>[] {
  const lines = (files[`tables/${table}.jsonl`] ?? "").split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test.each([
  ["aux.py", "_aux.py"],
  ["<b>.py", "_b_.py"],
  ["a:b.py", "a_b.py"],
  ["$(id).py", "$(id).py"],
  ["ядро (1) 🍿.PY", "ядро (1) 🍿.PY"],
])("an export has the source of %j as %j, which can be extracted on every system", async (fileName, written) => {
  const id = await submitted(database, ann, { source: "x = 1\n", fileName });
  const files = await unzip(await exportOwnAccount({ ...personal(database), store: await openStore() }, asOwner(ann)));
  expect(Object.keys(files).filter((path) => path.startsWith("submissions/"))).toEqual([
    `submissions/${id}/${written}`,
  ]);
});

test("an export has the account's rows, sources and files, and nothing of others", async () => {
  const store = await openStore();
  const { token } = await createToken(database, asOwner(ann), {
    ...{ label: "nightly", scopes: ["read"], targets: [], runners: 1, days: 1 },
  });
  await database.sql`insert into webhook (account_id, url, events, secret)
    values (${ann.account.id}, 'https://hooks.example.org', '{submission.finished}', 'hush')`;
  const other = await ranked(database, bob, box, 200, { source: "bob = 1\n" });
  const first = await ranked(database, ann, box, 100, { source: "x = 'é'\n", fileName: "fast.py" });
  const second = await submitted(database, ann, { mode: "profile" });
  const run = await claimed(database, box);
  const bytes = (async function* () {
    yield Buffer.from("spans");
  })();
  await putArtifact(database, store, box, {
    ...{ runId: run.runId, attempt: run.attempt, name: "trace.txt", mediaType: "text/plain", bytes },
  });
  await reported(database, box, run, passing("profile"));
  const evaluation = EvaluationRequest.parse({ problem: "double", target: "cpu", code: "x = 3\n", level: "test" });
  await createEvaluation(database, ann, evaluation, { limits });
  const runOf = async (id: number) => (await readSubmission(database, id))?.runs[0]?.id ?? 0;
  await reportRun(database, bob, await runOf(first), "copied from me");
  await reportRun(database, ann, await runOf(other), "too fast");
  const duel = await submitted(database, ann, { mode: "duel", rival: { fileName: "b.py", source: "b = 1\n" } });

  const files = await unzip(await exportOwnAccount({ ...personal(database), store }, asOwner(ann)));
  expect(files[`submissions/${first}/fast.py`]).toBe("x = 'é'\n");
  expect(files[`submissions/${second}/kernel.py`]).toBe("pass\n");
  expect(files[`submissions/${duel}/rival/b.py`]).toBe("b = 1\n");
  expect(files[`artifacts/${run.runId}/1/trace.txt`]).toBe("spans");
  expect(rowsOf(files, "account")).toMatchObject([{ id: ann.account.id, name: "ann" }]);
  expect(rowsOf(files, "submission").map(({ id }) => id)).toEqual(expect.arrayContaining([first, second, duel]));
  expect(rowsOf(files, "token")).toContainEqual(expect.objectContaining({ label: "nightly" }));
  expect(rowsOf(files, "evaluation")).toHaveLength(1);
  expect(rowsOf(files, "case_result").length).toBeGreaterThan(0);
  expect(rowsOf(files, "webhook")).toMatchObject([{ url: "https://hooks.example.org" }]);
  // Owners of runs are not notified of reports.
  expect(rowsOf(files, "flag").map(({ message }) => message)).toEqual(["too fast"]);
  expect(files["README.txt"]).toContain("account: the account: name, roles, ban, settings");
  const all = Object.values(files).join("\n");
  for (const secret of [token, "hush", "bob = 1", bob.account.id]) expect(all).not.toContain(secret);
  expect(Object.keys(files)).not.toContain(`submissions/${other}/kernel.py`);
});

test("an export is read in parts, so that its size does not matter for the memory", async () => {
  for (let at = 0; at < 12; at += 1) {
    await submitted(database, ann, { source: `x = "${randomBytes(30_000).toString("base64")}"\n` });
  }
  const chunks = await collect(
    await exportOwnAccount({ ...personal(database), store: await openStore() }, asOwner(ann)),
  );
  expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(2 ** 16);
  const files = unzipSync(Buffer.concat(chunks));
  expect(Object.keys(files).filter((path) => path.startsWith("submissions/"))).toHaveLength(12);
});

test("an administrator's export for someone else is recorded, and others get none", async () => {
  const store = await openStore();
  const files = await unzip(await exportAccount({ ...personal(database), store }, root, "ann"));
  expect(rowsOf(files, "account")).toMatchObject([{ name: "ann" }]);
  const [entry] = await database.sql`select account_id, act, subject from audit order by id desc limit 1`;
  expect(entry).toEqual({ account_id: root.account.id, act: "export-account", subject: `account ${ann.account.id}` });
  await expect(exportAccount({ ...personal(database), store }, bob, "ann")).rejects.toMatchObject({
    code: "forbidden",
  });
});

test("a download that stalls holds no connection to the database, and is the only one of its account", async () => {
  const store = await openStore();
  const bytes = await exportOwnAccount({ ...personal(database), store }, asOwner(ann));
  await bytes.next();
  const connections = async () =>
    (
      await database.sql<{ n: number }>`
      select count(*)::integer as n from pg_stat_activity
      where application_name = 'kernelbot-export' and datname = current_database()`
    )[0]?.n;
  await expect.poll(connections).toBe(0);
  await expect(exportOwnAccount({ ...personal(database), store }, asOwner(ann))).rejects.toMatchObject({
    ...{ code: "too_many_requests", message: "an export of ann is being downloaded; wait until it has ended" },
  });
  await bytes.return();
  expect(await unzip(await exportOwnAccount({ ...personal(database), store }, asOwner(ann)))).toHaveProperty(
    "README.txt",
  );
});
