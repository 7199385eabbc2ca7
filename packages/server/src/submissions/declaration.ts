/**
 * A submission's declarations about its author and its publication, with the defaults of its account and competition.
 */
import { declaredAuthor, type SubmitRequest } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import type { NewSubmission } from "./new-submission.ts";
import { requireLicence } from "./licence.ts";

export type Declaration = Pick<NewSubmission, "authorKind" | "model" | "licence" | "anonymous">;

/**
 * Returns the declaration of a submission. The default licence of a ranked submission is the one its competition
 * requires, else the account's setting.
 * @throws KernelBotError `unprocessable` if the competition requires another licence, or author and model contradict
 * each other.
 */
export async function declaration(
  { db }: Database,
  { account }: Identity,
  { board, mode, author, model, licence, anonymous }: SubmitRequest,
): Promise<Declaration> {
  const { kind, model: named } = declaredAuthor(author, model);
  const defaults = await db
    .selectFrom("account")
    .leftJoin("problem", (join) => join.on("problem.name", "=", board))
    .leftJoin("competition", "competition.name", "problem.competition")
    .select(["account.licence as own", "competition.licence as required", "competition.name as competition"])
    .where("account.id", "=", account.id)
    .executeTakeFirstOrThrow();
  const required = mode === "ranked" ? defaults.required : null;
  if (licence !== undefined && defaults.competition !== null) requireLicence(defaults.competition, required, licence);
  const chosen = licence !== undefined ? licence : (required ?? defaults.own);
  return { authorKind: kind, model: named, licence: chosen, anonymous: anonymous ?? null };
}
