/** Creates and changes competitions. */
import type { Transaction } from "kysely";
import { KernelBotError, limitsIn, quote, type Competition, type CompetitionSpec, type Limits } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";
import { noProblem, reachable } from "../auth/visibility.ts";
import { findCompetition } from "./competitions.ts";
import { requireOrganiser, setOrganisers } from "./organisers.ts";
import { namesOf, newPseudonymKey, requireNoRanked } from "./pseudonyms.ts";

/**
 * Creates a competition. Its organisers are those in `spec`, by default the caller.
 * @throws KernelBotError `forbidden` if the caller is not an organiser; `conflict` if the name is taken.
 */
export async function createCompetition(
  database: Database,
  identity: Identity,
  spec: CompetitionSpec,
): Promise<Competition> {
  return changeAndRead(database, spec.name, (transaction) => createIn(transaction, identity, spec));
}

/** `createCompetition` within the caller's transaction. */
export async function createIn(
  transaction: Transaction<Tables>,
  identity: Identity,
  spec: CompetitionSpec,
): Promise<void> {
  requireRole(identity, "organiser");
  const created = await transaction
    .insertInto("competition")
    .values({ name: spec.name, ...columnsOf(spec), pseudonym_key: newPseudonymKey(spec) })
    .onConflict((conflict) => conflict.doNothing())
    .returning("name")
    .executeTakeFirst();
  if (created === undefined) {
    throw new KernelBotError("conflict", `the name ${quote(spec.name)} is taken; choose another`);
  }
  await setOrganisers(transaction, spec.name, spec.organisers ?? [identity.account.name]);
  await setLimits(transaction, spec);
  await setProblems(transaction, identity, spec);
  await audit(transaction, identity, "create", `competition ${spec.name}`, spec);
}

/**
 * Replaces all settings of a competition. New dates also apply to existing submissions: boards count submissions
 * between the dates, and receipts contain seeds once the end is reached.
 * @throws KernelBotError `forbidden` if the caller does not organise it; `not_found`.
 */
export async function changeCompetition(
  database: Database,
  identity: Identity,
  spec: CompetitionSpec,
): Promise<Competition> {
  return changeAndRead(database, spec.name, (transaction) => changeIn(transaction, identity, spec));
}

/** `changeCompetition` within the caller's transaction. */
export async function changeIn(
  transaction: Transaction<Tables>,
  identity: Identity,
  spec: CompetitionSpec,
): Promise<void> {
  await requireOrganiser(transaction, identity, [spec.name]);
  const { starts_at, ends_at, freeze_at, reveal_at, pseudonym_key } = await transaction
    .selectFrom("competition")
    .select(["starts_at", "ends_at", "freeze_at", "reveal_at", "pseudonym_key"])
    .where("name", "=", spec.name)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const namesBefore = namesOf(pseudonym_key);
  const starts = [starts_at, new Date(spec.startsAt)].toSorted((a, b) => a.getTime() - b.getTime());
  const [since = starts_at, until] = starts;
  if (namesBefore !== spec.names) {
    await requireNoRanked(transaction, spec.name, null, { since }, "the names on the boards cannot change");
  } else if (spec.names === "pseudonyms") {
    await requireNoRanked(transaction, spec.name, null, { since, before: until }, "the start cannot change");
  }
  await transaction
    .updateTable("competition")
    .set({ ...columnsOf(spec), ...(namesBefore !== spec.names && { pseudonym_key: newPseudonymKey(spec) }) })
    .where("name", "=", spec.name)
    .execute();
  if (spec.organisers !== undefined) await setOrganisers(transaction, spec.name, spec.organisers);
  await setLimits(transaction, spec);
  await setProblems(transaction, identity, spec);
  const before = { startsAt: starts_at, endsAt: ends_at, freezeAt: freeze_at, revealAt: reveal_at };
  await audit(transaction, identity, "change", `competition ${spec.name}`, { ...spec, before });
}

/** Executes `work` in a transaction and returns the resulting competition. */
async function changeAndRead(
  database: Database,
  name: string,
  work: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<Competition> {
  await runTransaction(idempotent(database.db), work);
  // Read without a visibility check: a caller who transfers a closed competition to another organiser still gets it
  // returned.
  return findCompetition(database, name);
}

function columnsOf(spec: CompetitionSpec) {
  return {
    title: spec.title,
    description: spec.description,
    visibility: spec.visibility,
    starts_at: new Date(spec.startsAt),
    ends_at: new Date(spec.endsAt),
    freeze_at: spec.freezeAt === null ? null : new Date(spec.freezeAt),
    reveal_at: spec.revealAt === null ? null : new Date(spec.revealAt),
    participants: spec.participants,
    groups: spec.groups,
    targets: spec.targets,
    code_visibility: spec.codeVisibility,
    licence: spec.licence,
    team_size: spec.teamSize,
  };
}

async function setLimits(transaction: Transaction<Tables>, { name, limits }: CompetitionSpec): Promise<void> {
  await transaction.deleteFrom("submission_limit").where("competition", "=", name).execute();
  const rows = limitsIn(limits).map((limit) => ({ competition: name, problem: null, ...limit }));
  if (rows.length > 0) await transaction.insertInto("submission_limit").values(rows).execute();
}

/** Assigns these problems to the competition and releases other problems that were in it. */
async function setProblems(
  transaction: Transaction<Tables>,
  identity: Identity,
  { name, problems, names, startsAt }: CompetitionSpec,
): Promise<void> {
  const found = await transaction
    .selectFrom("problem")
    .select(["name", "competition", "suite"])
    .where((where) =>
      where.or([where("competition", "=", name), ...problems.map((problem) => where("name", "=", problem.name))]),
    )
    .where(reachable(identity, "problem.competition"))
    .orderBy("name")
    .forUpdate()
    .execute();
  for (const problem of problems) {
    const row = found.find((row) => row.name === problem.name);
    if (row === undefined) throw noProblem(problem.name);
    if (row.suite !== null) {
      throw new KernelBotError("conflict", `the problem ${row.name} belongs to the suite ${row.suite}`);
    }
    if (row.competition !== null && row.competition !== name) {
      throw new KernelBotError("conflict", `the problem ${row.name} is already in the competition ${row.competition}`);
    }
  }
  if (names === "pseudonyms") {
    const period = { since: new Date(startsAt) };
    const joining = found.filter(({ competition }) => competition === null).map((row) => row.name);
    const leaving = found.map((row) => row.name).filter((name) => problems.every((problem) => problem.name !== name));
    const refuse = (what: string) => `a problem cannot ${what} a competition with pseudonyms`;
    await requireNoRanked(transaction, name, joining, period, refuse("join"));
    await requireNoRanked(transaction, name, leaving, period, refuse("leave"));
  }
  for (const row of found) {
    const settings = problems.find((problem) => problem.name === row.name);
    await setBoardLimits(transaction, row.name, settings?.limits ?? {});
    if (settings === undefined)
      await assignProblem(transaction, row.name, { competition: null, targets: null, ends_at: null });
    else {
      const { targets, endsAt } = settings;
      const ends_at = endsAt === null ? null : new Date(endsAt);
      await assignProblem(transaction, row.name, { competition: name, targets, ends_at });
    }
  }
}

async function setBoardLimits(transaction: Transaction<Tables>, problem: string, limits: Limits): Promise<void> {
  await transaction.deleteFrom("submission_limit").where("problem", "=", problem).execute();
  const rows = limitsIn(limits).map((limit) => ({ competition: null, problem, ...limit }));
  if (rows.length > 0) await transaction.insertInto("submission_limit").values(rows).execute();
}

type ProblemAssignment = Pick<Tables["problem"], "competition" | "targets" | "ends_at">;

async function assignProblem(
  transaction: Transaction<Tables>,
  problem: string,
  values: ProblemAssignment,
): Promise<void> {
  await transaction.updateTable("problem").set(values).where("name", "=", problem).execute();
}
