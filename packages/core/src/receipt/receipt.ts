/**
 * Receipts of ranked runs: all data from which the score was computed, signed by the server. Anyone who has the receipt
 * and the server's public key can verify it offline: see `receipt-checks.ts` and docs/explanation/receipts.md.
 */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { canonicalJson } from "../text/canonical-json.ts";
import { Hex256, sha256 } from "../text/digest.ts";
import { Machine } from "../machine/machine.ts";
import { CaseWeights, ProblemName, RankingBy, Regime, StopRule, TargetName } from "../vocabulary/specification.ts";
import { Ranking, RunScore, runScore } from "../score/ranked-by.ts";
import { scoreCases } from "../score/score.ts";
import { CaseFinished } from "../run/tester-protocol.ts";

/** Form of the receipts that this version writes and verifies. */
export const RECEIPT_SCHEMA = "kernelbot.receipt/2";

/**
 * Signed content of a receipt. Any change of its shape, or of the score that `recomputedScore` computes from existing
 * samples, requires a new `schema`. A field that only new kinds of boards have may be added as an optional one, because
 * existing documents stay byte for byte the same.
 */
export const Receipt = z.strictObject({
  schema: z.literal(RECEIPT_SCHEMA),
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
  /** Quantity by which the board ranks. */
  ranking: Ranking,
  /** Weights of the cases, in their order; absent if all count alike. */
  weights: CaseWeights.optional(),
  stop: StopRule,
  regime: Regime,
  /**
   * Speed-of-light bounds, one for each case in nanoseconds, from which an efficiency is computed; absent on boards that
   * do not rank by one.
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
  score: RunScore,
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
  const { cases, rankingBy, ranking, weights, target, stop, boundsNs } = receipt;
  return runScore(scoreCases(cases, rankingBy, target, stop, weights), ranking, target, boundsNs, weights);
}

/**
 * Returns the commitment to the seed of an attempt: a SHA-256 hash that does not reveal the seed. The server computes
 * the same value in its database when a runner claims the run.
 */
export function seedCommitment(seed: string, runId: number, attempt: number): Promise<string> {
  return sha256(`kernelbot.seed-commitment/1:${runId}:${attempt}:${seed}`);
}
