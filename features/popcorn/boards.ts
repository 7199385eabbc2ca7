/** Boards in the shapes of the popcorn client. They contain no seeds, references or files of a problem. */
import {
  problemEndsAt,
  entrantName,
  frozenUntil,
  hasProblem,
  KernelBotError,
  quote,
  type Competition,
} from "@kernelbot/core";
import { readBoard } from "@kernelbot/server/src/boards/boards.ts";
import type { Viewer } from "@kernelbot/server/src/auth/visibility.ts";
import { listCompetitions } from "@kernelbot/server/src/competitions/competitions.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { listProblems, readProblem } from "@kernelbot/server/src/problems/problems.ts";
import { queryNumber } from "./input.ts";
import { runnerQueue } from "./queue.ts";
import type { PopcornCall } from "./route.ts";

/** Handles `GET /leaderboards`. */
export async function leaderboards({ c, services, identity }: PopcornCall<Viewer>): Promise<Response> {
  const [problems, competitions] = await Promise.all([
    listProblems(services.database, identity),
    listCompetitions(services.database, identity),
  ]);
  const competitionOf = (problem: string) => competitions.find((competition) => hasProblem(competition, problem));
  return c.json(
    problems
      .filter(({ targets }) => targets.length > 0)
      .map(({ number, name, description, targets }) => {
        const competition = competitionOf(name);
        return {
          id: number,
          name,
          description: `${freezeNotice(competition)}${description}`,
          deadline: competition === undefined ? null : problemEndsAt(competition, name),
          task: {},
          gpu_types: targets,
          creator_id: 0,
          forum_id: -1,
          visibility: competition?.visibility === "closed" ? "closed" : "public",
        };
      }),
  );
}

/**
 * Returns a notice that the boards are frozen, which precedes the problem's description: the client shows no other
 * field that could contain it. Empty while they are not frozen.
 */
function freezeNotice(competition: Competition | undefined): string {
  const until = competition === undefined ? null : frozenUntil(competition, new Date());
  if (competition === undefined || until === null) return "";
  return `Frozen: until ${until} the boards show the ranking of ${competition.freezeAt}.\n\n`;
}

/** Handles `GET /gpus/{leaderboard}`. */
export async function gpus({ c, services, identity }: PopcornCall<Viewer>): Promise<Response> {
  return c.json((await boardNamed(services.database, identity, c.req.param("leaderboard") ?? "")).targets);
}

/** Handles `GET /submissions/{leaderboard}/{gpu}`. */
export async function entries(call: PopcornCall<Viewer>): Promise<Response> {
  const { c, services, identity } = call;
  const { board, target } = await boardAt(call);
  const offset = queryNumber(c, "offset", { least: 0, usually: 0 });
  const limit = queryNumber(c, "limit", { least: 1, usually: Number.MAX_SAFE_INTEGER });
  const { rows, freeze } = await readBoard(services.database, identity, board, target);
  return c.json(
    rows.slice(offset, offset + limit).map((row) => ({
      submission_id: row.submissionId,
      rank: row.rank,
      submission_name: row.fileName,
      submission_time: row.submittedAt,
      submission_score: row.timeNs.value / 1e9,
      leaderboard_name: board,
      user_id: row.account.id,
      user_name: entrantName(row),
      gpu_type: target,
      ...(freeze !== null && { frozen_until: freeze.until }),
    })),
  );
}

/** Handles `GET /submission_count/{leaderboard}/{gpu}`: the number of entries on the board, or of one user. */
export async function entryCount(call: PopcornCall<Viewer>): Promise<Response> {
  const { c, services, identity } = call;
  const { board, target } = await boardAt(call);
  const { rows } = await readBoard(services.database, identity, board, target);
  const user = c.req.query("user_id");
  return c.json({ count: rows.filter(({ account }) => user === undefined || account.id === user).length });
}

/** Handles `GET /runner_queue/{gpu}`. */
export async function queueOf({ c, services }: PopcornCall<undefined>): Promise<Response> {
  return c.json(await runnerQueue(services.database, c.req.param("gpu") ?? ""));
}

/**
 * Returns a board by its name in any case.
 * @throws KernelBotError `not_found`.
 */
export async function boardNamed(
  database: Database,
  viewer: Viewer,
  name: string,
): Promise<{ name: string; number: number; targets: string[] }> {
  // Problem names are in lower case.
  const found = await readProblem(database, viewer, name.toLowerCase());
  if (found === null) throw new KernelBotError("not_found", `Leaderboard ${quote(name)} does not exist.`);
  return found;
}

/**
 * Returns a target of a board by its name in any case.
 * @throws KernelBotError `bad_request` that lists the targets of the board.
 */
export function targetNamed(board: { name: string; targets: readonly string[] }, gpu: string): string {
  const found = board.targets.find((target) => target.toLowerCase() === gpu.toLowerCase());
  if (found !== undefined) return found;
  throw new KernelBotError(
    "bad_request",
    `GPU type ${quote(gpu)} is not supported for leaderboard ${board.name}. Supported GPUs: ${board.targets.join(", ")}`,
  );
}

async function boardAt({ c, services, identity }: PopcornCall<Viewer>) {
  const board = await boardNamed(services.database, identity, c.req.param("leaderboard") ?? "");
  return { board: board.name, target: targetNamed(board, c.req.param("gpu") ?? "") };
}
