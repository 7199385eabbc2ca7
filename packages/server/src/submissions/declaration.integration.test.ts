import { expect, test } from "vitest";
import type { SubmitRequest } from "@kernelbot/core";
import { readBoard } from "../boards/boards.ts";
import { STRANGER } from "../auth/visibility.ts";
import { changeCompetition } from "../competitions/change.ts";
import { readSubmission } from "./views.ts";
import { made, olga, spec, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { ranked, request, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import {
  chooseAnonymity,
  chooseLicence,
  licenseSubmission,
  readAnonymity,
  readConsent,
  readLicence,
} from "./licence.ts";
import { submit } from "./submit.ts";

useScene();
useOrganiser();

/** Submits with these declarations and returns the stored submission. */
async function stored(change: Partial<SubmitRequest>) {
  const { submission } = await submit(database, ann, request(change));
  const read = await readSubmission(database, submission.id);
  expect(submission).toMatchObject({ author: read?.author, licence: read?.licence });
  return read;
}

test.each([
  [{}, { kind: "undeclared", model: null }],
  [{ author: "human" }, { kind: "human", model: null }],
  [{ author: "assisted" }, { kind: "assisted", model: null }],
  [
    { author: "assisted", model: "M" },
    { kind: "assisted", model: "M" },
  ],
  [
    { author: "autonomous", model: "M" },
    { kind: "autonomous", model: "M" },
  ],
] as const)("stores the author %j as %j", async (declared, author) => {
  expect(await stored(declared)).toMatchObject({ author });
});

test.each([
  [{ author: "autonomous" }, "model: name the model that wrote the submission autonomously"],
  [{ author: "human", model: "M" }, "model: an author of the kind human has none"],
  [{ model: "M" }, "model: an author of the kind undeclared has none"],
] as const)("rejects the author %j", async (declared, words) => {
  await expect(submit(database, ann, request(declared))).rejects.toThrow(words);
});

test("the board shows the author of each row", async () => {
  await ranked(database, ann, box, 100, { author: "autonomous", model: "M" });
  const { rows } = await readBoard(database, STRANGER, "double", "cpu");
  expect(rows.map(({ author }) => author)).toEqual([{ kind: "autonomous", model: "M" }]);
});

test("a different declaration under the same key is a different request", async () => {
  const once = { idempotencyKey: "once" };
  await submit(database, ann, request(), once);
  await expect(submit(database, ann, request({ author: "human" }), once)).rejects.toMatchObject({ code: "conflict" });
});

test("the licence is the chosen one, else the account's default, else none", async () => {
  expect(await stored({})).toMatchObject({ licence: null });
  await chooseLicence(database, ann, { licence: "MIT" });
  expect(await readLicence(database, ann)).toEqual({ licence: "MIT" });
  expect(await stored({})).toMatchObject({ licence: "MIT" });
  expect(await stored({ licence: "CC0-1.0" })).toMatchObject({ licence: "CC0-1.0" });
  expect(await stored({ licence: null })).toMatchObject({ licence: null });
  expect(await readLicence(database, bob)).toEqual({ licence: null });
});

test("concurrent submissions get the default licence of their own account", async () => {
  await chooseLicence(database, ann, { licence: "MIT" });
  const sent = [ann, bob, ann, bob].map((who, n) => submit(database, who, request({ source: `# ${n}` })));
  const licences = (await Promise.all(sent)).map(({ submission }) => submission.licence);
  expect(licences).toEqual(["MIT", null, "MIT", null]);
});

test("a competition's required licence applies to ranked submissions, and other licences are rejected", async () => {
  await made({ licence: "Apache-2.0" });
  await chooseLicence(database, ann, { licence: "MIT" });
  const inSpring = { board: "triple", mode: "ranked" } as const;
  expect(await stored(inSpring)).toMatchObject({ licence: "Apache-2.0" });
  expect(await stored({ ...inSpring, mode: "test" })).toMatchObject({ licence: "MIT" });
  for (const licence of ["MIT", null] as const) {
    await expect(stored({ ...inSpring, licence })).rejects.toThrow(
      "licence: ranked submissions to spring are published under Apache-2.0",
    );
  }
  const read = await stored(inSpring);
  await expect(licenseSubmission(database, ann, read?.id ?? 0, { licence: "MIT" })).rejects.toMatchObject({
    code: "unprocessable",
  });
  await licenseSubmission(database, ann, read?.id ?? 0, { licence: null });
  await changeCompetition(database, olga, spec({ licence: null }));
  await licenseSubmission(database, ann, read?.id ?? 0, { licence: "MIT" });
});

test("only the author can withdraw consent, and only before publication", async () => {
  const id = await submitted(database, ann, { licence: "MIT" });
  await expect(licenseSubmission(database, bob, id, { licence: null })).rejects.toMatchObject({ code: "not_found" });
  await licenseSubmission(database, ann, id, { licence: null });
  expect((await readSubmission(database, id))?.licence).toBeNull();
  await licenseSubmission(database, ann, id, { licence: "MIT" });
  await published(id);
  await expect(licenseSubmission(database, ann, id, { licence: null })).rejects.toMatchObject({ code: "conflict" });
  await expect(database.sql`update submission set licence = null`).rejects.toThrow("its licence stays");
});

test("withdrawing consent during an export reports that the submission is published", async () => {
  const id = await submitted(database, ann, { licence: "MIT" });
  let withdrawal: Promise<void> | undefined;
  await database.db.transaction().execute(async (transaction) => {
    await transaction.insertInto("dataset_number").values({ number: id, submission_id: id }).execute();
    withdrawal = licenseSubmission(database, ann, id, { licence: null });
    withdrawal.catch(() => undefined);
    const waiting = () =>
      database.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(waiting).toHaveLength(1);
  });
  await expect(withdrawal).rejects.toMatchObject({ code: "conflict" });
});

/** Marks a submission as published, as an export does. */
async function published(id: number): Promise<void> {
  await database.sql`insert into dataset_number (number, submission_id) values (${id}, ${id})`;
}

test("a submission is anonymous as declared, until its author changes that", async () => {
  expect(await readAnonymity(database, ann)).toEqual({ anonymous: false });
  await chooseAnonymity(database, ann, { anonymous: true });
  expect(await readAnonymity(database, ann)).toEqual({ anonymous: true });
  const silent = await submitted(database, ann, { licence: "MIT" });
  expect(await readConsent(database, ann, silent)).toEqual({ licence: "MIT", anonymous: null });
  const named = await submitted(database, ann, { licence: "MIT", anonymous: false });
  await licenseSubmission(database, ann, named, { licence: "CC0-1.0" });
  expect(await readConsent(database, ann, named)).toEqual({ licence: "CC0-1.0", anonymous: false });
  await expect(readConsent(database, bob, named)).rejects.toMatchObject({ code: "not_found" });
});

test("a published submission can become anonymous from the next snapshot on, and keeps its licence", async () => {
  const id = await submitted(database, ann, { licence: "MIT" });
  await published(id);
  await licenseSubmission(database, ann, id, { licence: "MIT", anonymous: true });
  expect(await readConsent(database, ann, id)).toEqual({ licence: "MIT", anonymous: true });
});
