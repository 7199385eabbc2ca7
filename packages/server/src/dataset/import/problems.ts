/** Imported problems: they have results, but accept no submissions. */
import type { Transaction } from "kysely";
import {
  importedProblem,
  KernelBotError,
  problemVersion,
  quote,
  type ImportResult,
  type ImportedProblem,
  type ImportedRow,
  type ImportHead,
} from "@kernelbot/core";
import { json } from "../../db/json.ts";
import type { Tables } from "../../db/tables.ts";

/** Name of their problem set. */
const SET = "imported";

/**
 * Creates the problems that do not exist yet. When the name is taken, the problem's number is appended.
 * @throws KernelBotError `conflict` when a problem exists and differs, or both names are taken.
 */
export async function putProblems(
  transaction: Transaction<Tables>,
  head: ImportHead,
  problems: readonly ImportedProblem[],
): Promise<ImportResult["problems"]> {
  const named: ImportResult["problems"] = [];
  for (const problem of problems) {
    const known = await knownProblem(transaction, head, problem.number);
    const name = known?.problem ?? (await makeProblem(transaction, head, problem));
    if (known !== undefined && (await problemVersion(importedProblem({ ...problem, name }))) !== known.version) {
      throw new KernelBotError(
        "conflict",
        `problem ${problem.number} of ${head.source} was imported as ${name} with another description, reference or targets; to continue that import, use the same leaderboards file`,
      );
    }
    named.push({ number: problem.number, name });
  }
  return named;
}

/**
 * Returns the imported problem; undefined if it is not imported yet.
 * @throws KernelBotError `conflict` when it was imported into another competition.
 */
async function knownProblem(transaction: Transaction<Tables>, head: ImportHead, number: number) {
  const known = await transaction
    .selectFrom("imported_problem as i")
    .innerJoin("problem", "problem.name", "i.problem")
    .select(["i.problem", "problem.version", "problem.competition"])
    .where("i.source", "=", head.source)
    .where("i.number", "=", number)
    .executeTakeFirst();
  if (known === undefined || known.competition === head.competition) return known;
  throw new KernelBotError(
    "conflict",
    `problem ${number} of ${head.source} was already imported as ${known.problem} ${known.competition === null ? "without a competition" : `in the competition ${known.competition}`}`,
  );
}

async function makeProblem(
  transaction: Transaction<Tables>,
  { source, competition }: ImportHead,
  problem: ImportedProblem,
): Promise<string> {
  const { number } = problem;
  const numbered = `${problem.name.slice(0, 94 - String(number).length)}-${number}`;
  for (const name of [problem.name, numbered]) {
    const built = importedProblem({ ...problem, name });
    const version = await problemVersion(built);
    await transaction
      .insertInto("problem_version")
      .values({ hash: version, problem: name, spec: json(built.spec), files: json(built.files) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const made = await transaction
      .insertInto("problem")
      .values({ name, set_name: SET, version, competition, suite: null })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .returning("name")
      .executeTakeFirst();
    if (made === undefined) continue;
    await transaction.insertInto("imported_problem").values({ source, number, problem: name }).execute();
    return name;
  }
  throw new KernelBotError("conflict", `the names ${quote(problem.name)} and ${quote(numbered)} are taken`);
}

export interface BoardProblem {
  problem: string;
  version: string;
}

/** Returns the problems of rows by number. @throws KernelBotError `unprocessable` when one does not exist. */
export async function problemsByNumber(
  transaction: Transaction<Tables>,
  head: ImportHead,
  rows: readonly ImportedRow[],
): Promise<Map<number, BoardProblem>> {
  const boards = new Map<number, BoardProblem>();
  for (const number of new Set(rows.map(({ problem }) => problem))) {
    const known = await knownProblem(transaction, head, number);
    if (known === undefined) {
      throw new KernelBotError("unprocessable", `problem ${number} does not exist; send it with or before its rows`);
    }
    boards.set(number, known);
  }
  return boards;
}
