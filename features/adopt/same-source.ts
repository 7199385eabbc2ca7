/** Recognises the database of the earlier passes by the rows that these imported from it. */
import { sql } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import { nameHere } from "./boards.ts";
import type { Destination } from "./destination.ts";
import type { Source } from "./source.ts";
import type { SourceLeaderboard } from "./source-rows.ts";

/** Number of submissions that are compared, spread over all. */
const COMPARED = 1000;

/**
 * Requires that the leaderboards and submissions of earlier passes are the same ones at the source.
 * @throws KernelBotError `bad_request` if the source is another database.
 */
export async function requireSameSource(
  { destination: { db }, source }: { destination: Destination; source: string },
  origin: Source,
  leaderboards: readonly SourceLeaderboard[],
): Promise<void> {
  const known = await db
    .selectFrom("adopted_leaderboard")
    .select(["number", "problem"])
    .where("source", "=", source)
    .execute();
  const names = new Map(leaderboards.map(({ id, name }) => [id, name]));
  for (const { number, problem } of known) {
    const name = names.get(number);
    if (name !== undefined && nameHere(name) !== problem) {
      throw anotherSource(source, `leaderboard ${number} was ${quote(problem)} and is ${quote(name)}`);
    }
  }
  const { rows } = await sql<{ number: number; made_at: Date }>`
    select number, created_at as made_at from (
      select number, id, row_number() over (order by number) as place, count(*) over () as total from (
        select distinct i.submission_number as number, r.submission_id as id from imported_run i join run r on r.id = i.run_id
        where i.source = ${source}
      ) here
    ) here join submission s using (id)
    where place % greatest(total / ${COMPARED}, 1) = 0`.execute(db);
  const times = await origin.listTimes(rows.map(({ number }) => number));
  for (const { number, made_at } of rows) {
    const time = times.get(number);
    if (time !== undefined && time !== made_at.getTime()) {
      const [was, is] = [made_at, new Date(time)].map((moment) => moment.toISOString());
      throw anotherSource(source, `submission ${number} was made at ${was} and is of ${is}`);
    }
  }
}

function anotherSource(source: string, difference: string): KernelBotError {
  return new KernelBotError(
    "bad_request",
    `--from is not the database that was imported as ${quote(source)}: ${difference} there; nothing was written. ` +
      "Name the database of the earlier passes, or import this one with a --source NAME of its own",
  );
}
