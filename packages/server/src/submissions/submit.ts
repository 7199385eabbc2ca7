/** Turns a request into a committed submission with queued runs. */
import { createHash, randomUUID } from "node:crypto";
import {
  KernelBotError,
  languageFor,
  quote,
  type Allowance,
  type Mode,
  type ProblemSpec,
  type RunSummary,
  type Submission,
  type SubmitRequest,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import { perDatabase } from "../db/per-database.ts";
import { reached } from "../observe/milestones.ts";
import { spanned, traceparentOf } from "../observe/trace.ts";
import { readProblem, readProblemVersion } from "../problems/problems.ts";
import { readSubmission } from "./views.ts";
import { acceptor, type Acceptance, type Item } from "./accept.ts";
import { readAllowances } from "./allowances.ts";
import { declaration, type Declaration } from "./declaration.ts";
import { requireOpenGate } from "./gate.ts";
import { noBoard, refusal } from "./refusal.ts";
import { checkFileName, checkSource } from "./source.ts";

export { decodeSource } from "./source.ts";

export interface SubmitOptions {
  /** Key chosen by the client. Repeating a request with the same key returns the first submission. */
  idempotencyKey?: string | undefined;
  /** Key chosen by the server, used if `idempotencyKey` is not set. It cannot collide with a client's key. */
  ownKey?: string | undefined;
}

export interface Submitted {
  submission: Submission;
  /** False if the same request was accepted before. */
  created: boolean;
  /** Limits of the board in the submission's mode, with the usage after this submission. */
  allowances: readonly Allowance[];
}

const MAX_KEY_LENGTH = 200;

/**
 * Accepts a submission. It is committed when the promise resolves. Queue positions are not computed; read the
 * submission for them.
 * @throws KernelBotError with one sentence for the participant; nothing is stored then.
 */
export function submit(
  database: Database,
  identity: Identity,
  request: SubmitRequest,
  options: SubmitOptions = {},
): Promise<Submitted> {
  const attributes = { "kernelbot.board": request.board, "kernelbot.mode": request.mode };
  return spanned("submit", { attributes }, (span) => accept(database, identity, request, options, traceparentOf(span)));
}

async function accept(
  database: Database,
  identity: Identity,
  request: SubmitRequest,
  options: SubmitOptions,
  traceparent: string | null,
): Promise<Submitted> {
  requireScope(identity, "submit");
  await requireOpenGate(database);
  checkFileName(request.fileName);
  checkSource(request.source);
  checkRival(request);
  const asked = await readProblem(database, identity, request.board);
  if (asked === null) throw await noBoard(database, identity, request.board);
  if (request.mode === "profile" || request.mode === "duel") checkOurHarness(asked.problem.spec, request.mode);
  for (const { fileName } of [request, ...(request.rival ? [request.rival] : [])]) {
    languageFor(asked.problem.spec, fileName, request.targets);
  }
  const { idempotencyKey, ownKey = randomUUID() } = options;
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  const declared = await declaration(database, identity, request);
  // A server-side key makes it safe to repeat an insert whose result was lost. The leading space keeps it apart from
  // clients' keys, which contain no spaces.
  const item = { ...toItem(identity, request, declared, idempotencyKey ?? ` ${ownKey}`), traceparent };
  const acceptance = await accepted(database)(item);
  switch (acceptance.outcome) {
    case "created": {
      const problem = await readProblemVersion(database, acceptance.version);
      const { submissionId, runIds } = acceptance;
      const { board, mode } = request;
      reached({ type: "accepted", submissionId, runIds, board, mode, accountId: identity.account.id });
      const legacyHarness = problem?.spec.harness === "legacy";
      const submission = fresh(identity, request.mode, item, acceptance, legacyHarness);
      return { submission, created: true, allowances: acceptance.allowances };
    }
    case "repeated": {
      const submission = await readSubmission(database, acceptance.submissionId);
      if (submission === null) throw new KernelBotError("internal", `submission ${acceptance.submissionId} is gone`);
      const allowances = await readAllowances(database, item.accountId, item.board, [item.mode]);
      return { submission, created: false, allowances };
    }
    case "conflict":
      throw new KernelBotError(
        "conflict",
        `the idempotency key ${quote(idempotencyKey ?? "")} was used for another request: submission ${acceptance.submissionId}`,
      );
    case "refused":
      throw await refusal(database, item);
  }
}

const accepted = perDatabase(acceptor);

/**
 * Validates the second file of a duel.
 * @throws KernelBotError if a duel has no second file, another mode has one, or the file is invalid.
 */
function checkRival({ mode, rival }: SubmitRequest): void {
  if ((mode === "duel") !== (rival !== undefined)) {
    throw new KernelBotError(
      "unprocessable",
      mode === "duel" ? "rival: mode duel needs a second file" : `rival: mode ${mode} takes no second file`,
    );
  }
  if (rival === undefined) return;
  checkFileName(rival.fileName);
  checkSource(rival.source);
}

/**
 * Rejects modes `profile` and `duel` for problems with their own harness, which times one submission and cannot profile
 * it.
 */
function checkOurHarness({ name, harness }: ProblemSpec, mode: Mode): void {
  if (harness !== "legacy") return;
  throw new KernelBotError(
    "unprocessable",
    `${name} is judged by a harness of its own, which knows no mode ${mode}; its modes are test, benchmark and ranked`,
  );
}

/**
 * Validates a client's idempotency key.
 * @throws KernelBotError `bad_request`.
 */
export function checkKey(key: string): void {
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY_LENGTH) {
    throw new KernelBotError(
      "bad_request",
      `an idempotency key has 1 to ${MAX_KEY_LENGTH} printable ASCII characters and no space`,
    );
  }
}

function toItem(
  identity: Identity,
  request: SubmitRequest,
  declared: Declaration,
  idempotencyKey: string,
): Omit<Item, "traceparent"> {
  const { board, mode, fileName, source, rival, author, model, licence, anonymous } = request;
  const targets = [...new Set(request.targets)].toSorted();
  const sourceHash = sha256(source);
  const rivalHash = rival === undefined ? null : sha256(rival.source);
  const asked = [board, targets, mode, fileName, sourceHash, author, model, licence, rival?.fileName, rivalHash];
  if (anonymous !== undefined) asked.push(String(anonymous));
  const requestHash = sha256(JSON.stringify(asked));
  return {
    accountId: identity.account.id,
    board,
    targets,
    mode,
    fileName,
    source,
    sourceHash,
    rivalName: rival?.fileName ?? null,
    rivalSource: rival?.source ?? null,
    rivalHash,
    idempotencyKey,
    requestHash,
    ...declared,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Builds the new submission without reading it back from the database. Must equal what `readSubmission` returns, except
 * for queue positions.
 */
function fresh(
  identity: Identity,
  mode: Mode,
  item: Item,
  acceptance: Extract<Acceptance, { outcome: "created" }>,
  legacyHarness: boolean,
): Submission {
  const createdAt = acceptance.at.toISOString();
  return {
    id: acceptance.submissionId,
    account: identity.account,
    board: item.board,
    mode,
    fileName: item.fileName,
    sourceHash: item.sourceHash,
    rival:
      item.rivalName === null || item.rivalHash === null
        ? null
        : { fileName: item.rivalName, sourceHash: item.rivalHash },
    problemVersion: acceptance.version,
    createdAt,
    author: { kind: item.authorKind, model: item.model },
    licence: item.licence,
    lastEvent: 1 + item.targets.length,
    removed: null,
    imported: null,
    runs: item.targets.map((target, index): RunSummary => ({
      id: acceptance.runIds[index] as number,
      target,
      rerun: 0,
      state: "queued",
      verdict: null,
      failureClass: null,
      message: null,
      attempt: 0,
      stage: null,
      queuePosition: null,
      expectedWaitMs: null,
      score: null,
      unsandboxed: false,
      legacyHarness,
      imported: false,
      createdAt,
      startedAt: null,
      finishedAt: null,
    })),
  };
}
