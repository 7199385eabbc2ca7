/**
 * The receipt of a ranked run: all that its score was computed from, signed by the server. Whoever has it and the
 * server's public key can check it without either: see `receipt-checks.ts` and docs/receipts.md.
 */
import { z } from "zod";
import { AccountName } from "./board.ts";
import { canonicalJson } from "./canonical-json.ts";
import { sha256 } from "./digest.ts";
import { Hex256 } from "./keys.ts";
import { Machine } from "./machine.ts";
import { ProblemName, RankingBy, Stop, TargetName } from "./problem-spec.ts";
import { Score, scoreCases } from "./score.ts";
import { CaseFinished } from "./tester.ts";

/** What is signed. A change of its shape, or of what `scoreCases` makes of old samples, needs another `schema`. */
export const Receipt = z.strictObject({
  schema: z.literal("kernelbot.receipt/1"),
  /** The key that signed it. */
  keyId: Hex256,
  submissionId: z.number().int(),
  runId: z.number().int(),
  attempt: z.number().int().positive(),
  /** As it was called when the run ended. */
  account: AccountName,
  board: ProblemName,
  target: TargetName,
  fileName: z.string(),
  source: z.strictObject({ sha256: Hex256, sizeBytes: z.number().int().nonnegative() }),
  problemVersion: Hex256,
  /** Without its host name, which is its operator's; with the version of the tester. */
  machine: Machine.omit({ hostname: true }),
  submittedAt: z.iso.datetime(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** The operator let the runner judge without isolation: the result proves nothing. */
  unsandboxed: z.boolean(),
  /** The problem's own harness checked and timed, in one process tree with the submission. */
  legacyHarness: z.boolean(),
  rankingBy: RankingBy,
  stop: Stop,
  /** The cases of the stage `ranked` that the score is made of, with every sample, in the order of the board. */
  cases: z
    .array(
      CaseFinished.pick({
        case: true,
        bytes: true,
        operations: true,
        outputBytes: true,
        rounds: true,
        summary: true,
      }),
    )
    .min(1),
  score: Score.omit({ cases: true }),
  /** Commits the server to the seed of the inputs; see `seedCommitment`. */
  seedCommitment: Hex256,
});
export type Receipt = z.infer<typeof Receipt>;

export const SignedReceipt = z.strictObject({
  receipt: Receipt,
  /** Ed25519 over the canonical JSON of `receipt`, in hexadecimal. */
  signature: z.string().regex(/^[0-9a-f]{128}$/, "use 128 hexadecimal digits in lower case"),
  /** The seed, once the board is closed; null before. Not signed: the commitment tells whether it is the one. */
  seed: Hex256.nullable(),
});
export type SignedReceipt = z.infer<typeof SignedReceipt>;

/** What is signed of a receipt. */
export function receiptBytes(receipt: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson(receipt));
}

/** The score that the samples of a receipt give. @throws RangeError where they give none. */
export function recomputedScore({ cases, rankingBy, target, stop }: Receipt): Receipt["score"] {
  const { timeNs, speedup } = scoreCases(cases, rankingBy, target, stop);
  return { timeNs, speedup };
}

/**
 * The commitment to the seed of an attempt: a hash that tells nothing of the seed, and that no other seed has.
 * The server computes the same in its database, when a runner claims the run.
 */
export function seedCommitment(seed: string, runId: number, attempt: number): Promise<string> {
  return sha256(`kernelbot.seed-commitment/1:${runId}:${attempt}:${seed}`);
}
