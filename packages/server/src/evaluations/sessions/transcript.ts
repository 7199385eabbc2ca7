/** Builds the transcript of a session from its evaluations and notes. */
import {
  languageOf,
  MAX_TRANSCRIPT_EVALUATIONS,
  MAX_TRANSCRIPT_SOURCE_BYTES,
  type Evaluation,
  type EvaluationStep,
  type Transcript,
  type TranscriptStep,
} from "@kernelbot/core";
import { sql } from "kysely";
import type { Identity } from "../../auth/identity.ts";
import type { Database } from "../../db/database.ts";
import { readEvaluations } from "../read.ts";
import { readSession } from "./sessions.ts";

/**
 * Returns the transcript of a session of the caller, or of any for an administrator.
 * @throws KernelBotError `not_found`.
 */
export async function readTranscript(database: Database, identity: Identity, id: number): Promise<Transcript> {
  const { problem, target, maxEvaluations, createdAt, endsAt } = await readSession(database, identity, id);
  const codes = await listCodes(database, id);
  const kept = sql`e.id = any(${codes.map((code) => code.id)}::bigint[])`;
  const [evaluations, notes, sources] = await Promise.all([
    codes.length === 0 ? [] : readEvaluations(database, kept),
    listNotes(database, id),
    readSources(database, codes),
  ]);
  const codeOf = new Map(codes.map((code) => [code.id, code]));
  const steps = evaluations.flatMap(({ evaluation }) => toStep(evaluation, codeOf.get(evaluation.id)));
  return {
    ...{ session: id, problem, target, maxEvaluations, createdAt, endsAt },
    // Sorting is stable: evaluations of one batch, which were requested at the same time, stay in their order.
    steps: [...steps.toSorted((a, b) => a.id - b.id), ...notes].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    sources: Object.fromEntries(sources),
    stepsLeftOut: (codes[0]?.all ?? 0) - codes.length,
    sourcesLeftOut: new Set(codes.map(({ hash }) => hash)).size - sources.length,
  };
}

interface CodeRow {
  /** Number of the evaluation. */
  id: number;
  hash: string;
  fileName: string;
  sizeBytes: number;
  /** Number of all evaluations of the session. */
  all: number;
}

/** Returns the code of each of the last evaluations of a session, the last one first. */
async function listCodes({ db }: Database, session: number): Promise<CodeRow[]> {
  const { rows } = await sql<CodeRow>`
    select e.id, encode(s.code_hash, 'hex') as hash, s.file_name as "fileName", octet_length(c.source) as "sizeBytes",
      count(*) over ()::integer as all
    from evaluation e join submission s on s.id = e.submission_id join code c on c.hash = s.code_hash
    where e.session_id = ${session}::bigint
    order by e.id desc limit ${MAX_TRANSCRIPT_EVALUATIONS}::integer`.execute(db);
  return rows;
}

/** Returns the sources by their hashes, those of the last steps first, up to the maximum size. */
async function readSources({ db }: Database, codes: readonly CodeRow[]): Promise<[hash: string, source: string][]> {
  const sizes = new Map(codes.map(({ hash, sizeBytes }) => [hash, sizeBytes]));
  const chosen: string[] = [];
  let left = MAX_TRANSCRIPT_SOURCE_BYTES;
  for (const [hash, size] of sizes) {
    if (size > left) continue;
    left -= size;
    chosen.push(hash);
  }
  if (chosen.length === 0) return [];
  const { rows } = await sql<{ hash: string; source: string }>`
    select h.hash, c.source from unnest(${chosen}::text[]) as h (hash) join code c on c.hash = decode(h.hash, 'hex')
    `.execute(db);
  return rows.map(({ hash, source }) => [hash, source]);
}

async function listNotes({ db }: Database, session: number): Promise<TranscriptStep[]> {
  const rows = await db
    .selectFrom("evaluation_session_note")
    .select(["text", "created_at"])
    .where("session_id", "=", session)
    .orderBy("id")
    .execute();
  return rows.map(({ text, created_at }) => ({ kind: "note", at: created_at.toISOString(), text }));
}

function toStep(evaluation: Evaluation, code: CodeRow | undefined): EvaluationStep[] {
  const language = code === undefined ? null : languageOf(code.fileName);
  if (code === undefined || language === null) return [];
  const { id, level, state, outcome, passed, total, speedup, reward, rule, feedback, cached } = evaluation;
  const { unsandboxed, legacyHarness, createdAt, endedAt } = evaluation;
  return [
    {
      ...{ kind: "evaluation", at: createdAt, id, level, language, codeHash: code.hash, state, outcome, passed, total },
      ...{ speedup, reward, rule, feedback, cached, unsandboxed, legacyHarness, endedAt },
    },
  ];
}
