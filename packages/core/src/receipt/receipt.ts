/**
 * Receipts of ranked runs: all data from which the score was computed, signed by the server. Anyone who has the receipt
 * and the server's public key can verify it offline: see `receipt-checks.ts` and docs/explanation/receipts.md.
 */
import { z } from "zod";
import { AccountName } from "../board/board.ts";
import { canonicalJson } from "../text/canonical-json.ts";
import { sha256 } from "../text/digest.ts";
import { Hex256 } from "./keys.ts";
import { Machine } from "../machine/machine.ts";
import { CaseWeights, ProblemName, RankingBy, Regime, StopRule, TargetName } from "../problem/spec.ts";
import { scoreOnBoard } from "../score/board-score.ts";
import { Score } from "../score/score.ts";
import { efficiencyOf, ranksByEfficiency } from "../score/efficiency.ts";
import { CaseFinished } from "../run/tester-protocol.ts";

/**
 * Signed content of a receipt. Any change of its shape, or of the score that `scoreOnBoard` computes from existing
 * samples, requires a new `schema`. A field that only new kinds of boards have may be added as an optional one, because
 * existing documents stay byte for byte the same.
 */
export const Receipt = z.strictObject({
  schema: z.literal("kernelbot.receipt/1"),
  /** Id of the key that signed the receipt. */
  keyId: Hex256,
  submissionId: z.number().int(),
  runId: z.number().int(),
  attempt: z.number().int().positive(),
  /** Account, with its name at the end of the run. */
  account: AccountName,
  board: ProblemName,
  target: TargetName,
  fileName: z.string(),
  source: z.strictObject({ sha256: Hex256, sizeBytes: z.number().int().nonnegative() }),
  problemVersion: Hex256,
  /** Machine and tester version. The host name is omitted because it is private to the operator. */
  machine: Machine.omit({ hostname: true }),
  submittedAt: z.iso.datetime(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** True if the runner judged without a sandbox (`--unsafe-no-sandbox`): the result proves nothing. */
  unsandboxed: z.boolean(),
  /** True if the problem's own harness checked and timed the run, in one process tree with the submission. */
  legacyHarness: z.boolean(),
  rankingBy: RankingBy,
  /** Weights of the cases, in their order; absent if all count alike. */
  weights: CaseWeights.optional(),
  stop: StopRule,
  regime: Regime,
  /** Times of the reference, one for each case in nanoseconds, at which the score is given; null: as measured. */
  boardReferenceNs: z.array(z.number().positive()).nullable(),
  /**
   * Speed-of-light bounds, one for each case in nanoseconds, from which the efficiency is computed; absent on boards that
   * rank by time.
   */
  boundsNs: z.array(z.number().positive()).optional(),
  /** Cases of stage `ranked` from which the score is computed, with every sample, in the order of the board. */
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
  /** Commitment of the server to the seed of the inputs. See `seedCommitment`. */
  seedCommitment: Hex256,
});
export type Receipt = z.infer<typeof Receipt>;

export const SignedReceipt = z.strictObject({
  receipt: Receipt,
  /** Ed25519 signature over the canonical JSON of `receipt`, in hexadecimal. */
  signature: z.string().regex(/^[0-9a-f]{128}$/, "use 128 hexadecimal digits in lower case"),
  /** Seed of the inputs; null until the board is closed. Not signed, because the commitment verifies it. */
  seed: Hex256.nullable(),
});
export type SignedReceipt = z.infer<typeof SignedReceipt>;

/** Returns the bytes of a receipt that are signed: its canonical JSON in UTF-8. */
export function receiptBytes(receipt: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson(receipt));
}

/**
 * Recomputes the score from the samples of a receipt.
 * @throws RangeError if the samples are invalid.
 */
export function recomputedScore(receipt: Receipt): Receipt["score"] {
  const { cases, rankingBy, weights, target, stop, boardReferenceNs, boundsNs } = receipt;
  const onBoard = scoreOnBoard(cases, rankingBy, target, stop, weights, boardReferenceNs);
  const { timeNs, speedup } = onBoard;
  if (!ranksByEfficiency(rankingBy)) return { timeNs, speedup };
  const rule = { rankingBy, boundsNs: boundsNs ?? [], boardReferenceNs, weights };
  return { timeNs, speedup, efficiency: efficiencyOf(onBoard.cases, rule) };
}

/**
 * Returns the commitment to the seed of an attempt: a SHA-256 hash that does not reveal the seed. The server computes
 * the same value in its database when a runner claims the run.
 */
export function seedCommitment(seed: string, runId: number, attempt: number): Promise<string> {
  return sha256(`kernelbot.seed-commitment/1:${runId}:${attempt}:${seed}`);
}
