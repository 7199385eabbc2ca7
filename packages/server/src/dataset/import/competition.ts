/** The competition of an import. */
import type { Transaction } from "kysely";
import { KernelBotError, quote, type ImportHead } from "@kernelbot/core";
import type { Identity } from "../../auth/identity.ts";
import type { Tables } from "../../db/tables.ts";
import { audit } from "../../auth/audit.ts";

/**
 * Creates the competition, unless an earlier batch has.
 * @throws KernelBotError `unprocessable` when it has not ended; `conflict` when another competition has the name.
 */
export async function putCompetition(
  transaction: Transaction<Tables>,
  identity: Identity,
  head: ImportHead,
): Promise<void> {
  const { competition: name, title, source, licence } = head;
  const [starts, ends] = [new Date(head.startsAt), new Date(head.endsAt)];
  if (ends.getTime() > Date.now()) {
    throw new KernelBotError(
      "unprocessable",
      `the competition ends ${head.endsAt}; only ended competitions can be imported`,
    );
  }
  const made = await transaction
    .insertInto("competition")
    .values({
      ...{ name, title, licence: null, team_size: 1, starts_at: starts, ends_at: ends },
      ...{ freeze_at: null, reveal_at: null, targets: null },
      description: `Imported from ${source}; judged by the original harness.`,
      visibility: "public",
      // Sources without a licence that allows redistribution are not shown.
      code_visibility: licence === null ? "never" : "after_end",
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("name")
    .executeTakeFirst();
  if (made === undefined) return checkSame(transaction, head);
  const by = identity.account.id;
  await transaction.insertInto("competition_organiser").values({ competition: name, account_id: by }).execute();
  await transaction.insertInto("import").values({ competition: name, source, licence, account_id: by }).execute();
  await audit(transaction, identity, "import", `competition ${name}`, head);
}

/** Requires that an existing competition was imported with the same metadata. @throws KernelBotError `conflict`. */
async function checkSame(transaction: Transaction<Tables>, head: ImportHead): Promise<void> {
  const known = await transaction
    .selectFrom("competition")
    .leftJoin("import", "import.competition", "competition.name")
    .select(["import.source", "import.licence", "title", "starts_at", "ends_at"])
    .where("name", "=", head.competition)
    .executeTakeFirstOrThrow();
  if (known.source === null) {
    throw new KernelBotError(
      "conflict",
      `the competition ${quote(head.competition)} already exists and was not imported; choose another name`,
    );
  }
  const before = {
    source: known.source,
    title: known.title,
    from: known.starts_at.toISOString(),
    to: known.ends_at.toISOString(),
    licence: known.licence ?? "none",
  };
  const now: typeof before = {
    source: head.source,
    title: head.title,
    from: new Date(head.startsAt).toISOString(),
    to: new Date(head.endsAt).toISOString(),
    licence: head.licence ?? "none",
  };
  for (const key of Object.keys(before) as (keyof typeof before)[]) {
    if (before[key] === now[key]) continue;
    throw new KernelBotError(
      "conflict",
      `the competition ${head.competition} was imported with ${key} ${quote(before[key])}, not ${quote(now[key])}; to continue that import, use the same value`,
    );
  }
}
