/** Consent to publication: given and withdrawn by the author, until an export has taken the submission up. */
import {
  KernelBotError,
  type Anonymity,
  type Licence,
  type LicenceChoice,
  type SubmissionConsent,
} from "@kernelbot/core";
import { sql } from "kysely";
import { reachable } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";

/** Under which licence new submissions of this account may be published, unless they say otherwise. */
export async function readLicence({ db }: Database, { account }: Identity): Promise<LicenceChoice> {
  return retrying(() =>
    db.selectFrom("account").select("licence").where("id", "=", account.id).executeTakeFirstOrThrow(),
  );
}

export async function chooseLicence({ db }: Database, identity: Identity, choice: LicenceChoice): Promise<void> {
  requireScope(identity, "submit");
  await retrying(() =>
    db.updateTable("account").set({ licence: choice.licence }).where("id", "=", identity.account.id).execute(),
  );
}

/** Whether published data has this account's submissions under a pseudonym, unless they say otherwise. */
export async function readAnonymity({ db }: Database, { account }: Identity): Promise<Anonymity> {
  return retrying(() =>
    db.selectFrom("account").select("anonymous").where("id", "=", account.id).executeTakeFirstOrThrow(),
  );
}

/** Holds for the snapshots that are made from now on. */
export async function chooseAnonymity({ db }: Database, identity: Identity, choice: Anonymity): Promise<void> {
  requireScope(identity, "submit");
  await retrying(() =>
    db.updateTable("account").set({ anonymous: choice.anonymous }).where("id", "=", identity.account.id).execute(),
  );
}

/** How one's own submission may be published. @throws KernelBotError `not_found`. */
export async function readConsent({ db }: Database, identity: Identity, id: number): Promise<SubmissionConsent> {
  const row = await retrying(() =>
    db
      .selectFrom("submission")
      .innerJoin("problem", "problem.name", "submission.problem")
      .select(["submission.licence", "submission.anonymous"])
      .where("submission.id", "=", id)
      .where("submission.account_id", "=", identity.account.id)
      .where(reachable(identity, "problem.competition"))
      .executeTakeFirst(),
  );
  if (row === undefined) throw new KernelBotError("not_found", `there is no submission ${id}`);
  return row;
}

/**
 * Lets one's own submission be published under a licence, or not any more, with one's name or without. What was published
 * keeps its licence; a pseudonym holds for the snapshots that are made from now on.
 * @throws KernelBotError `not_found`; `conflict` where it is published already; `unprocessable` where its competition asks
 * for another licence.
 */
export async function licenseSubmission(
  { db }: Database,
  identity: Identity,
  id: number,
  { licence, anonymous }: SubmissionConsent,
): Promise<void> {
  requireScope(identity, "submit");
  await retrying(() =>
    db.transaction().execute(async (transaction) => {
      // An export may be taking it up.
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
        .where(reachable(identity, "problem.competition"))
        .forUpdate("submission")
        .executeTakeFirst();
      if (row === undefined) throw new KernelBotError("not_found", `there is no submission ${id}`);
      if (row.published_at !== null && row.licence !== licence) {
        const when = `was published under ${row.licence} at ${row.published_at.toISOString()}`;
        throw new KernelBotError("conflict", `submission ${id} ${when}, which cannot be called back`);
      }
      if (licence !== null && row.mode === "ranked" && row.name !== null)
        requireLicence(row.name, row.required, licence);
      // A licence that is published is not written, not even as it is: a trigger holds it.
      const change = { ...(licence !== row.licence && { licence }), ...(anonymous !== undefined && { anonymous }) };
      if (Object.keys(change).length === 0) return;
      await transaction.updateTable("submission").set(change).where("id", "=", id).execute();
    }),
  );
}

/** @throws KernelBotError `unprocessable` where a competition asks for another licence than the one that was chosen. */
export function requireLicence(competition: string, required: Licence | null, chosen: Licence | null): void {
  if (required === null || chosen === required) return;
  throw new KernelBotError(
    "unprocessable",
    `licence: ranked submissions to ${competition} are published under ${required}; leave the licence out, or choose it`,
  );
}
