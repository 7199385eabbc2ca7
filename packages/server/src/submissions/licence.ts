/**
 * An author's consent to the publication of submissions. It can be changed until an export has published the
 * submission.
 */
import {
  KernelBotError,
  type Anonymity,
  type Licence,
  type LicenceChoice,
  type SubmissionConsent,
} from "@kernelbot/core";
import { sql } from "kysely";
import { reachable } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { requireScope, type Identity } from "../auth/identity.ts";

/** Returns the default licence for the account's new submissions. */
export async function readLicence({ db }: Database, { account }: Identity): Promise<LicenceChoice> {
  return db.selectFrom("account").select("licence").where("id", "=", account.id).executeTakeFirstOrThrow();
}

export async function chooseLicence({ db }: Database, identity: Identity, choice: LicenceChoice): Promise<void> {
  requireScope(identity, "submit");
  await idempotent(db)
    .updateTable("account")
    .set({ licence: choice.licence })
    .where("id", "=", identity.account.id)
    .execute();
}

/** Returns whether the account's submissions are published under a pseudonym by default. */
export async function readAnonymity({ db }: Database, { account }: Identity): Promise<Anonymity> {
  return db.selectFrom("account").select("anonymous").where("id", "=", account.id).executeTakeFirstOrThrow();
}

/**
 * Sets whether submissions are published under a pseudonym by default. Applies to snapshots of the data set made from
 * now on.
 */
export async function chooseAnonymity({ db }: Database, identity: Identity, choice: Anonymity): Promise<void> {
  requireScope(identity, "submit");
  await idempotent(db)
    .updateTable("account")
    .set({ anonymous: choice.anonymous })
    .where("id", "=", identity.account.id)
    .execute();
}

/**
 * Returns how one of the caller's submissions may be published.
 * @throws KernelBotError `not_found`.
 */
export async function readConsent({ db }: Database, identity: Identity, id: number): Promise<SubmissionConsent> {
  const row = await db
    .selectFrom("submission")
    .innerJoin("problem", "problem.name", "submission.problem")
    .select(["submission.licence", "submission.anonymous"])
    .where("submission.id", "=", id)
    .where("submission.account_id", "=", identity.account.id)
    .where("submission.is_evaluation", "=", false)
    .where(reachable(identity, "problem.competition"))
    .executeTakeFirst();
  if (row === undefined) throw new KernelBotError("not_found", `submission ${id} not found`);
  return row;
}

/**
 * Sets the licence of one of the caller's submissions (null: not published) and whether it is published under a
 * pseudonym. A published submission keeps its licence; the pseudonym applies to snapshots made from now on.
 * @throws KernelBotError `not_found`; `conflict` if it is already published under another licence; `unprocessable` if
 * its competition requires another licence.
 */
export async function licenseSubmission(
  { db }: Database,
  identity: Identity,
  id: number,
  { licence, anonymous }: SubmissionConsent,
): Promise<void> {
  requireScope(identity, "submit");
  await runTransaction(idempotent(db), async (transaction) => {
    // Waits for an export that is publishing submissions, and blocks the next one until this transaction ends.
    await sql`lock table dataset_number in share mode`.execute(transaction);
    const row = await transaction
      .selectFrom("submission")
      .innerJoin("problem", "problem.name", "submission.problem")
      .leftJoin("competition", "competition.name", "problem.competition")
      .select(["submission.licence", "submission.mode", "competition.name", "competition.licence as required"])
      .select((row) =>
        row
          .selectFrom("dataset_number as n")
          .whereRef("n.submission_id", "=", "submission.id")
          .select((number) => number.fn.min("n.published_at").as("at"))
          .as("published_at"),
      )
      .where("submission.id", "=", id)
      .where("submission.account_id", "=", identity.account.id)
      .where("submission.is_evaluation", "=", false)
      .where(reachable(identity, "problem.competition"))
      .forUpdate("submission")
      .executeTakeFirst();
    if (row === undefined) throw new KernelBotError("not_found", `submission ${id} not found`);
    if (row.published_at !== null && row.licence !== licence) {
      const when = `was published under ${row.licence} at ${row.published_at.toISOString()}`;
      throw new KernelBotError("conflict", `submission ${id} ${when}, so its licence can no longer be changed`);
    }
    if (licence !== null && row.mode === "ranked" && row.name !== null) requireLicence(row.name, row.required, licence);
    // A trigger rejects any write to a published licence, even of the same value.
    const change = { ...(licence !== row.licence && { licence }), ...(anonymous !== undefined && { anonymous }) };
    if (Object.keys(change).length === 0) return;
    await transaction.updateTable("submission").set(change).where("id", "=", id).execute();
  });
}

/**
 * Checks a licence against the one that a competition requires for ranked submissions.
 * @throws KernelBotError `unprocessable` if the competition requires another licence.
 */
export function requireLicence(competition: string, required: Licence | null, chosen: Licence | null): void {
  if (required === null || chosen === required) return;
  throw new KernelBotError(
    "unprocessable",
    `licence: ranked submissions to ${competition} are published under ${required}; leave the licence out, or choose it`,
  );
}
