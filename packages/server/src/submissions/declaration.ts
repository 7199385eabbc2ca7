/**
 * A submission's declarations about its author and its publication, with the defaults of its account and competition.
 */
import { declaredAuthor, type Licence, type SubmitRequest } from "@kernelbot/core";
import { coalesce } from "../db/coalesce.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import type { Identity } from "../auth/identity.ts";
import { reachable, visibilityKeyOf } from "../auth/visibility.ts";
import type { NewSubmission } from "./new-submission.ts";
import { requireLicence } from "./licence.ts";

export type Declaration = Pick<NewSubmission, "author_kind" | "model" | "licence" | "anonymous">;

/** Problem version of a board, and the licences that apply to a submission of an account to it. */
interface BoardTerms {
  version: string;
  /** Null for practice. */
  competition: string | null;
  /** Licence that the competition requires for ranked submissions. */
  required: Licence | null;
  /** Setting of the account. */
  own: Licence | null;
}

/**
 * Returns the terms of a board for an account, or null if the account may not see the board. Concurrent submissions of an
 * account to a board share the read.
 */
export function findBoardTerms(database: Database, identity: Identity, board: string): Promise<BoardTerms | null> {
  return termsReader(database)({ identity, board });
}

const termsReader = perDatabase((database) =>
  coalesce(
    (question: { identity: Identity; board: string }) => readBoardTerms(database, question),
    ({ identity, board }) => JSON.stringify([visibilityKeyOf(identity), board]),
  ),
);

async function readBoardTerms(
  { db }: Database,
  { identity, board }: { identity: Identity; board: string },
): Promise<BoardTerms | null> {
  const terms = await db
    .selectFrom("account")
    .innerJoin("problem", (join) => join.on("problem.name", "=", board))
    .leftJoin("competition", "competition.name", "problem.competition")
    .select(["problem.version", "problem.competition", "competition.licence as required", "account.licence as own"])
    .where("account.id", "=", identity.account.id)
    .where(reachable(identity, "problem.competition"))
    .executeTakeFirst();
  return terms ?? null;
}

/**
 * Returns the declaration of a submission. The default licence of a ranked submission is the one its competition
 * requires, else the account's setting.
 * @throws KernelBotError `unprocessable` if the competition requires another licence, or author and model contradict
 * each other.
 */
export function declaration(
  { mode, author, model, licence, anonymous }: SubmitRequest,
  { competition, own, ...terms }: BoardTerms,
): Declaration {
  const { kind, model: named } = declaredAuthor(author, model);
  const required = mode === "ranked" ? terms.required : null;
  if (licence !== undefined && competition !== null) requireLicence(competition, required, licence);
  const chosen = licence !== undefined ? licence : (required ?? own);
  return { author_kind: kind, model: named, licence: chosen, anonymous: anonymous ?? null };
}
