/** Submits: validates a request, commits it with its queued runs, and returns what was stored. */
import { createHash, randomUUID } from "node:crypto";
import {
  canonicalJson,
  checkFileName,
  compareTargets,
  KernelBotError,
  languageFor,
  parseSource,
  quote,
  submittedFile,
  type Allowance,
  type Mode,
  type Submission,
  type SubmitRequest,
} from "@kernelbot/core";
import { requireScope, type Identity } from "../auth/identity.ts";
import { coalesce } from "../db/coalesce.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { recordMilestone } from "../observe/milestones.ts";
import { traceparentOf, withSpan } from "../observe/trace.ts";
import { readProblemVersion } from "../problems/problems.ts";
import { acceptAll } from "./accept.ts";
import { readAllowances } from "./allowances.ts";
import { batched } from "./batched.ts";
import { declaration, findBoardTerms } from "./declaration.ts";
import { requireOpenGate } from "./gate.ts";
import { byteaText, type NewSubmission } from "./new-submission.ts";
import { refusalError, unknownBoardError } from "./refusal.ts";
import { checkKey, checkProblemMode, parseRival } from "./request-checks.ts";

export interface SubmitOptions {
  /** Key chosen by the client. Repeating a request with the same key returns the first submission. */
  idempotencyKey?: string | undefined;
  /** Key chosen by the server, used if `idempotencyKey` is not set. It cannot collide with a client's key. */
  ownKey?: string | undefined;
  /** The organiser who enters the submission for `identity` after the deadline; `enterLate` checks that they may. */
  lateEntry?: { by: Submission["account"]; reason: string } | undefined;
}

export interface Submitted {
  submission: Submission;
  /** False if the same request was accepted before. */
  created: boolean;
  /** Limits of the board in the submission's mode, with the usage after this submission. */
  allowances: readonly Allowance[];
}

/**
 * Accepts a submission. It is committed when the promise resolves.
 * @throws KernelBotError with one sentence for the participant; nothing is stored then.
 */
export function submit(
  database: Database,
  identity: Identity,
  request: SubmitRequest,
  options: SubmitOptions = {},
): Promise<Submitted> {
  const { board, mode } = request;
  return withSpan("submit", { attributes: { "kernelbot.board": board, "kernelbot.mode": mode } }, async (span) => {
    const item = { ...(await validate(database, identity, request, options)), traceparent: traceparentOf(span) };
    const acceptance = await acceptorOf(database)(item);
    if (acceptance.outcome === "refused") throw await refusalError(database, item);
    if (acceptance.outcome === "conflict")
      throw new KernelBotError(
        "conflict",
        `the idempotency key ${quote(item.idempotency_key)} was already used for a different request: submission ${acceptance.submissionId}`,
      );
    const { outcome, submission } = acceptance;
    const runIds = submission.runs.map(({ id }) => id);
    const { id: accountId } = identity.account;
    if (outcome === "created")
      recordMilestone({ type: "accepted", submissionId: submission.id, runIds, board, mode, accountId });
    const allowances = await allowancesReader(database)({ accountId, board, mode });
    return { submission, created: outcome === "created", allowances };
  });
}

/** Stores a submission; with those that arrive during a commit, in the next one. */
const acceptorOf = perDatabase((database) =>
  batched((items: readonly NewSubmission[]) => acceptAll(database, items), {
    maxItems: 64,
    maxCharacters: 4_000_000,
    charactersOf: ({ source, rival_source }) => source.length + (rival_source?.length ?? 0),
  }),
);

/** Concurrent submissions of an account to a board share the read. */
const allowancesReader = perDatabase((database) =>
  coalesce(
    ({ accountId, board, mode }: { accountId: string; board: string; mode: Mode }) =>
      readAllowances(database, accountId, board, [mode]),
    (question) => JSON.stringify(question),
  ),
);

async function validate(
  database: Database,
  identity: Identity,
  submitted: SubmitRequest,
  { idempotencyKey, ownKey = randomUUID(), lateEntry }: SubmitOptions,
): Promise<NewSubmission & { problem: string; mode: SubmitRequest["mode"] }> {
  requireScope(identity, "submit");
  await requireOpenGate(database);
  checkFileName(submitted.fileName);
  const read = submittedFile({ ...submitted, source: parseSource(submitted.source) });
  // A FlashInfer Trace solution has become a longer source.
  const request = { ...read, source: parseSource(read.source), rival: parseRival(read) };
  const terms = await findBoardTerms(database, identity, request.board);
  const found = terms && (await readProblemVersion(database, terms.version));
  if (terms === null || found === null) throw await unknownBoardError(database, identity, request.board);
  checkProblemMode(found.spec, request.mode);
  for (const { fileName } of [request, ...(request.rival ? [request.rival] : [])])
    languageFor(found.spec, fileName, request.targets);
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  const { board: problem, mode, fileName, source, rival } = request;
  const targets = [...new Set(request.targets)].toSorted(compareTargets);
  return {
    ...{ account_id: identity.account.id, problem, mode, file_name: fileName, source, code_hash: hash(source) },
    targets,
    ...(rival && { rival_name: rival.fileName, rival_source: rival.source, rival_hash: hash(rival.source) }),
    // A key of the server's own makes it safe to repeat an insert whose result was lost.
    idempotency_key: idempotencyKey ?? ` ${ownKey}`,
    request_hash: hash(canonicalJson({ ...request, targets, enteredBy: lateEntry?.by.id })),
    ...declaration(request, terms),
    priority: 0,
    ...(lateEntry && { entered_by: lateEntry.by.id, entry_reason: lateEntry.reason }),
  };
}

function hash(text: string): string {
  return byteaText(createHash("sha256").update(text).digest("hex"));
}
