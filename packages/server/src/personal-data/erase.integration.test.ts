import { mkdtempSync } from "node:fs";
import { CompiledQuery } from "kysely";
import { inject, expect, test } from "vitest";
import { checkReceipt, EvaluationRequest } from "@kernelbot/core";
import { claimed, failing, passing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { personal } from "@kernelbot/testing/personal-data.ts";
import { putArtifact } from "../artifacts/artifacts.ts";
import { openDirectoryStore } from "../artifacts/directory.ts";
import { deleteOldArtifacts } from "../artifacts/retention.ts";
import { changeRoles, rename } from "../auth/accounts.ts";
import { signIn } from "../auth/identities.ts";
import type { Identity } from "../auth/identity.ts";
import { authenticateSession } from "../auth/sessions.ts";
import { authenticate, createToken, issueToken, listTokens } from "../auth/tokens.ts";
import { STRANGER } from "../auth/visibility.ts";
import { readBoard } from "../boards/boards.ts";
import { createEvaluation } from "../evaluations/create.ts";
import { deleteOldEvaluations } from "../evaluations/delete-old.ts";
import { DEFAULT_EVALUATION_LIMITS as limits } from "../evaluations/limits.ts";
import { rerunSubmission } from "../moderation/rerun.ts";
import { closeProblem } from "../problems/close.ts";
import { readReceipt } from "../runs/receipts.ts";
import { listKeys } from "../runs/signer.ts";
import { sourceRefusal } from "../submissions/source-access.ts";
import { readEvents, readRun, readSource, readSubmission } from "../submissions/views.ts";
import { deleteErasedContents } from "./delete-contents.ts";
import { eraseAccount, eraseOwnAccount, previewOwnErasure } from "./erase.ts";

useScene();

const asOwner = (identity: Identity): Identity => ({ ...identity, scopes: ["submit", "read", "account"] });
const DAY_MS = 86_400_000;

async function openStore() {
  return openDirectoryStore(mkdtempSync(`${inject("scratch")}/store-`));
}

/** Returns the board without the names. */
async function board() {
  const { rows } = await readBoard(database, STRANGER, "double", "cpu");
  return rows.map(({ rank, submissionId, account, timeNs }) => ({ rank, submissionId, id: account.id, timeNs }));
}

function erase(removeResults = false) {
  return eraseOwnAccount(personal(database), asOwner(ann), { name: "ann", removeResults });
}

async function deleteContents(): Promise<number> {
  return deleteErasedContents(personal(database), await testSigner(database));
}

/** Returns every text of the database that contains a word, as table and column. */
async function whereIs(word: string): Promise<string[]> {
  const columns = await database.sql<{ table: string; column: string }>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'public' and t.table_type = 'BASE TABLE' and data_type in ('text', 'json', 'ARRAY')`;
  const found = await Promise.all(
    columns.map(async ({ table, column }) => {
      const text = `select 1 from "${table}" where position($1 in "${column}"::text) > 0 limit 1`;
      const { rows } = await database.db.executeQuery(CompiledQuery.raw(text, [word]));
      return rows.length === 0 ? [] : [`${table}.${column}`];
    }),
  );
  return found.flat().toSorted();
}

test("the board is the same before and after an erasure, but for the name", async () => {
  const other = await ranked(database, bob, box, 200);
  const own = await ranked(database, ann, box, 100);
  await ranked(database, ann, box, 300);
  const before = await board();
  expect(before.map(({ submissionId }) => submissionId)).toEqual([own, other]);
  const { account } = await erase();
  expect(account).toMatchObject({
    id: ann.account.id,
    name: expect.stringMatching(/^deleted-[0-9a-f]{10}$/) as string,
  });
  expect(await deleteContents()).toBe(2);
  expect(await board()).toEqual(before);
  const { rows } = await readBoard(database, STRANGER, "double", "cpu");
  expect(rows[0]?.account).toEqual(account);
});

test("nothing that the person wrote or is known by remains", async () => {
  const store = await openStore();
  const token = await createToken(database, asOwner(ann), {
    label: "zebra",
    scopes: ["read"],
    targets: [],
    runners: 1,
    days: 1,
  });
  await database.sql`insert into linked_identity (provider, subject, account_id, label)
    values ('email', 'zebra@example.org', ${ann.account.id}, 'zebra@example.org')`;
  await database.sql`insert into session (account_id, hash, browser, address, expires_at, ends_at)
    values (${ann.account.id}, sha256('x'), 'zebra', '192.0.2.1', now() + interval '1 day', now() + interval '1 day')`;
  await database.sql`insert into webhook (account_id, url, events, secret)
    values (${ann.account.id}, 'https://zebra.example.org', '{submission.finished}', 'zebra')`;
  await database.sql`insert into webhook (account_id, url, events, secret)
    values (${bob.account.id}, 'https://bob.example.org', '{board.rank_changed}', 'hush')`;
  await database.sql`insert into webhook_board (webhook_id, problem, target, named, sent_ranks)
    select id, 'double', 'cpu', true, json_build_array(json_build_object('id', ${bob.account.id}::text, 'name', 'bob', 'rank', 1),
      json_build_object('id', ${ann.account.id}::text, 'name', 'zebra', 'rank', 2)) from webhook where url like '%bob%'`;
  await database.sql`update account set name = 'zebra' where id = ${ann.account.id}`;
  const failed = await submitted(database, ann, { mode: "test", source: "# zebra 1\n", fileName: "zebra.py" });
  await reported(database, box, await claimed(database, box), failing("crash", "zebra failed"));
  const passed = await submitted(database, ann, { mode: "ranked", source: "# zebra 2\n", fileName: "zebra.py" });
  await reported(database, box, await claimed(database, box), passing("ranked"));
  await submitted(database, ann, { mode: "profile", source: "# zebra 3\n" });
  const run = await claimed(database, box);
  const bytes = (async function* () {
    yield Buffer.from("zebra");
  })();
  const { sha256 } = await putArtifact(database, store, box, {
    ...{ runId: run.runId, attempt: run.attempt, name: "trace.txt", mediaType: "text/plain", bytes },
  });
  await reported(database, box, run, passing("profile"));
  const evaluation = EvaluationRequest.parse({ problem: "double", target: "cpu", code: "zebra = 4\n", level: "test" });
  await createEvaluation(database, ann, { ...evaluation, tags: { who: "zebra" } }, { limits });
  await reported(database, box, await claimed(database, box), passing("test"));
  expect(await whereIs("zebra")).toContain("code.source");

  await eraseOwnAccount(personal(database), asOwner({ ...ann, account: { ...ann.account, name: "zebra" } }), {
    ...{ name: "zebra", removeResults: false },
  });
  await deleteContents();
  await deleteOldEvaluations(database, store, 7 * DAY_MS);
  await deleteOldArtifacts(database, store, 30 * DAY_MS);
  expect(await whereIs("zebra")).toEqual([]);
  const [sent] = await database.sql`select sent_ranks from webhook_board`;
  expect(sent?.["sent_ranks"]).toMatchObject([{ name: "bob" }, { id: ann.account.id, name: "deleted", rank: 2 }]);
  expect(await store.size(sha256)).toBeNull();
  expect(token.token).not.toBe("");
  expect(await listTokens(database, ann)).toEqual([]);
  expect((await readSubmission(database, failed))?.runs[0]).toMatchObject({ verdict: "failed", message: null });
  expect(await readRun(database, (await readSubmission(database, passed))?.runs[0]?.id ?? 0)).toMatchObject({
    stages: expect.arrayContaining([expect.objectContaining({ stage: "ranked", passed: true })]) as unknown,
  });
  expect((await readEvents(database, failed, 0, 99)).map(({ id }) => id)).toEqual(
    (await readEvents(database, failed, 0, 99)).map((_, at) => at + 1),
  );
});

test("receipts are signed again with the pseudonym, and are valid", async () => {
  const id = await ranked(database, ann, box, 100);
  const runId = (await readSubmission(database, id))?.runs[0]?.id as number;
  const before = await readReceipt(database, STRANGER, runId);
  const { account } = await erase();
  await deleteContents();
  const after = await readReceipt(database, STRANGER, runId);
  expect(after?.receipt).toMatchObject({ account, source: before?.receipt.source, score: before?.receipt.score });
  const { checks } = await checkReceipt(after, { keys: await listKeys(database) });
  expect(checks.filter(({ ok }) => ok === false)).toEqual([]);
});

test("a source that someone else submitted, too, stays theirs", async () => {
  const [mine, theirs] = [
    await submitted(database, ann, { source: "x = 1\n" }),
    await submitted(database, bob, { source: "x = 1\n" }),
  ];
  await erase();
  await deleteContents();
  expect([await readSource(database, mine), await readSource(database, theirs)]).toEqual([null, "x = 1\n"]);
  expect(await sourceRefusal(database, root, mine)).toMatchObject({ code: "gone" });
  await database.sql`update account set name = 'ann' where id = ${bob.account.id}`;
  await eraseOwnAccount(personal(database), asOwner({ ...bob, account: { ...bob.account, name: "ann" } }), {
    ...{ name: "ann", removeResults: false },
  });
  await deleteContents();
  expect(await database.sql`select source from code where source = ${"x = 1\n"}`).toHaveLength(0);
  const again = await submitted(database, root, { source: "x = 1\n" });
  expect(await readSource(database, again)).toBe("x = 1\n");
});

test("unfinished runs are cancelled, and an erased source is not judged again", async () => {
  const kept = await ranked(database, ann, box, 100);
  const [queued, running] = [await submitted(database, ann), await submitted(database, ann)];
  const run = await claimed(database, box);
  expect(await erase()).toMatchObject({ cancelledRuns: 2, removedSubmissions: 0 });
  expect(await reported(database, box, run, passing("test"))).toMatchObject({ cancelled: true });
  for (const id of [queued, running]) expect((await readSubmission(database, id))?.runs[0]?.state).toBe("cancelled");
  await deleteContents();
  await expect(rerunSubmission(database, root, kept)).rejects.toMatchObject({ code: "conflict" });
});

test("results can be removed as well, and the ranks are computed again", async () => {
  const other = await ranked(database, bob, box, 200);
  await ranked(database, ann, box, 100);
  expect(await erase(true)).toMatchObject({ removedSubmissions: 1 });
  expect(await board()).toMatchObject([{ rank: 1, submissionId: other }]);
});

test("results of a closed board are removed by administrators only", async () => {
  await ranked(database, ann, box, 100);
  await closeProblem(database, root, "double");
  await expect(erase(true)).rejects.toMatchObject({ code: "conflict" });
  const request = { name: "ann", removeResults: true };
  expect(await eraseAccount(personal(database), root, "ann", request)).toMatchObject({ removedSubmissions: 1 });
  expect(await board()).toEqual([]);
});

test("a job that is interrupted continues with the submissions that are left", async () => {
  for (let at = 0; at < 3; at += 1) await ranked(database, ann, box, 100 + at);
  await erase();
  const signer = await testSigner(database);
  let signatures = 0;
  const failing = {
    ...signer,
    publicKey: signer.publicKey,
    sign: (bytes: Uint8Array) => {
      signatures += 1;
      if (signatures === 2) throw new Error("killed");
      return signer.sign(bytes);
    },
  };
  await expect(deleteErasedContents(personal(database), failing)).rejects.toThrow("killed");
  expect(await whereIs("pass\n")).toEqual(["code.source"]);
  expect(await deleteErasedContents(personal(database), signer)).toBe(3);
  expect(await whereIs("pass\n")).toEqual([]);
  await database.sql`update account set erased_at = erased_at - interval '1 minute' where erased_at is not null`;
  await deleteErasedContents(personal(database), signer);
  const [row] = await database.sql`select contents_erased_at from account where id = ${ann.account.id}`;
  expect(row?.["contents_erased_at"]).not.toBeNull();
});

test("what a request stores during the erasure gives no access, and is erased, too", async () => {
  const request = asOwner(ann);
  await erase();
  const token = await issueToken(database, { accountId: ann.account.id, label: "zebra", scopes: ["read"] });
  const session = await signIn(
    database,
    { provider: "email", subject: "zebra@example.org", name: "zebra" },
    { address: "192.0.2.1", userAgent: "zebra" },
  );
  await database.sql`update session set account_id = ${ann.account.id}`;
  await database.sql`update linked_identity set account_id = ${ann.account.id}`;
  await database.sql`delete from account where name = 'zebra'`;
  await rename(database, request, "zebra");
  expect(await authenticateSession(database, session)).toBeNull();
  await expect(authenticate(database, token)).rejects.toMatchObject({ code: "unauthorized" });
  await deleteContents();
  expect(await whereIs("zebra")).not.toEqual([]);
  await database.sql`update account set erased_at = erased_at - interval '1 minute' where erased_at is not null`;
  await deleteContents();
  expect(await whereIs("zebra")).toEqual([]);
});

test("the preview counts, names obstacles, and changes nothing", async () => {
  await ranked(database, ann, box, 100);
  await submitted(database, ann);
  const preview = await previewOwnErasure(personal(database), asOwner(ann));
  expect(preview).toMatchObject({ account: { name: "ann" }, obstacles: [], openRuns: 1, boardResults: 1 });
  expect(preview.tables).toContainEqual({ table: "submission", rows: 2, erasure: "redacted" });
  expect(await previewOwnErasure(personal(database), asOwner(ann))).toEqual(preview);
});

test("refuses another name, the last administrator, and a second erasure", async () => {
  const wrong = eraseOwnAccount(personal(database), asOwner(ann), { name: "bob", removeResults: false });
  await expect(wrong).rejects.toMatchObject({ code: "unprocessable" });
  const last = eraseOwnAccount(personal(database), asOwner(root), { name: "root", removeResults: false });
  await expect(last).rejects.toThrow("the last administrator");
  await erase();
  await expect(erase()).rejects.toThrow("was erased at");
  await expect(changeRoles(database, root, "ann", { add: ["moderator"], remove: [] })).rejects.toThrow("not found");
});

test("the only organiser of a competition that has not ended, and a student of a course, are refused", async () => {
  await database.sql`insert into competition (name, title, description, visibility, starts_at, ends_at, code_visibility)
    values ('spring', 'Spring', '', 'public', now(), now() + interval '1 day', 'never')`;
  await database.sql`insert into competition_organiser values ('spring', ${ann.account.id})`;
  await database.sql`insert into course values ('spring', 'entered_email')`;
  await database.sql`insert into course_student (competition, email, name, account_id, enrolled_by, enrolled_at)
    values ('spring', 'ann@example.edu', 'Ann', ${ann.account.id}, 'entered_email', now())`;
  const { obstacles } = await previewOwnErasure(personal(database), asOwner(ann));
  expect(obstacles).toMatchObject(
    [/only organiser of the competition spring/, /student of the course spring/].map(
      (pattern) => expect.stringMatching(pattern) as string,
    ),
  );
  await expect(erase()).rejects.toMatchObject({ code: "conflict" });
  await database.sql`update competition set starts_at = now() - interval '2 days', ends_at = now() - interval '1 day'`;
  await erase();
  const [student] = await database.sql`select name, account_id from course_student`;
  expect(student).toEqual({ name: "Ann", account_id: null });
});
