/** Transcripts that are attached to submissions. */
import { KernelBotError, type Transcript } from "@kernelbot/core";
import { requireScope, type Identity } from "../../auth/identity.ts";
import type { Database } from "../../db/database.ts";
import { idempotent } from "../../db/idempotent.ts";
import { json } from "../../db/json.ts";
import { noSession } from "./sessions.ts";
import { readTranscript } from "./transcript.ts";

/**
 * Checks that the caller may attach the transcript of a session to a submission to this problem.
 * @throws KernelBotError `not_found`, or `unprocessable` for a session of another problem.
 */
export async function requireSessionOf(
  { db }: Database,
  { account }: Identity,
  session: number,
  problem: string,
): Promise<void> {
  const row = await db
    .selectFrom("evaluation_session")
    .select("problem")
    .where("id", "=", session)
    .where("account_id", "=", account.id)
    .executeTakeFirst();
  if (row === undefined) throw noSession(session);
  if (row.problem === problem) return;
  throw new KernelBotError(
    "unprocessable",
    `evaluation session ${session} is for ${row.problem}, and the submission for ${problem}; a transcript is attached to a submission to the same problem`,
  );
}

/**
 * Attaches a copy of a session's transcript, as far as it has got, to a submission of the caller to the same problem.
 * Attaching the same session again changes nothing.
 * @returns the attached transcript.
 * @throws KernelBotError `not_found`, `unprocessable` for a session of another problem, or `conflict` if the submission
 * has the transcript of another session.
 */
export async function attachTranscript(
  database: Database,
  identity: Identity,
  submission: number,
  session: number,
): Promise<Transcript> {
  requireScope(identity, "submit");
  const row = await database.db
    .selectFrom("submission")
    .select("problem")
    .where("id", "=", submission)
    .where("account_id", "=", identity.account.id)
    .where("is_evaluation", "=", false)
    .$narrowType<{ problem: string }>()
    .executeTakeFirst();
  if (row === undefined) throw new KernelBotError("not_found", `submission ${submission} not found`);
  const earlier = await findTranscript(database, submission);
  if (earlier !== null) return sameSession(earlier, submission, session);
  await requireSessionOf(database, identity, session, row.problem);
  const document = await readTranscript(database, identity, session);
  await idempotent(database.db)
    .insertInto("transcript")
    .values({ submission_id: submission, session_id: session, document: json(document) })
    .onConflict((conflict) => conflict.column("submission_id").doNothing())
    .execute();
  const attached = await findTranscript(database, submission);
  if (attached === null) throw new KernelBotError("internal", `the transcript of submission ${submission} is missing`);
  return sameSession(attached, submission, session);
}

function sameSession(transcript: Transcript, submission: number, session: number): Transcript {
  if (transcript.session === session) return transcript;
  throw new KernelBotError(
    "conflict",
    `submission ${submission} has the transcript of evaluation session ${transcript.session}; a submission has one transcript`,
  );
}

/** Returns the transcript that is attached to a submission; null if it has none. Its readers are those of the source. */
export async function findTranscript({ db }: Database, submission: number): Promise<Transcript | null> {
  const row = await db
    .selectFrom("transcript")
    .select("document")
    .where("submission_id", "=", submission)
    .executeTakeFirst();
  return row?.document ?? null;
}
