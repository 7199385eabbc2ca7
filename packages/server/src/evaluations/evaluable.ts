/** Which problems an account may evaluate code for. */
import { KernelBotError, uploadedVersion, type Problem } from "@kernelbot/core";
import { sql } from "kysely";
import { hasRole, type Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";
import { readProblem } from "../problems/problems.ts";
import { unknownBoardError } from "../submissions/refusal.ts";
import { noUpload, readUpload } from "./uploaded-problems.ts";

export interface Evaluable {
  problem: Problem;
  version: string;
}

/**
 * Returns a problem that the caller has uploaded, or the current version of one of the server. While a problem's competition has not
 * ended, only its organisers may: evaluations are not subject to the limits of its participants.
 * @throws KernelBotError `not_found`, `forbidden`.
 */
export async function readEvaluable(database: Database, identity: Identity, name: string): Promise<Evaluable> {
  if (uploadedVersion(name) !== null) {
    const uploaded = await readUpload(database, identity, name);
    if (uploaded === null) throw noUpload(name);
    return uploaded;
  }
  const found = await readProblem(database, identity, name);
  if (found === null) throw await unknownBoardError(database, identity, name);
  const { problem, version, competition } = found;
  if (competition !== null && !hasRole(identity, "administrator")) {
    const { rows } = await sql<{ may: boolean }>`
      select coalesce(w.closes_at <= now(), false) or exists (select from competition_organiser o
        where o.competition = ${competition} and o.account_id = ${identity.account.id}) as may
      from problem_window w where w.problem = ${name}`.execute(database.db);
    if (rows[0]?.may !== true) {
      throw new KernelBotError(
        "forbidden",
        `the problem ${name} belongs to the competition ${competition}, which has not ended; submit to its boards, or use a problem outside of competitions`,
      );
    }
  }
  return { problem, version };
}
