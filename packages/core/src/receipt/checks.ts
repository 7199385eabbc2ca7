/**
 * Verifies a receipt offline, against trusted data only: the server's public keys, the participant's own source, and a
 * published seed.
 *
 *     const { receipt, checks } = await checkReceipt(JSON.parse(text), { keys, source });
 *     checks.every((check) => check.ok !== false)   // the receipt is valid
 */
import { z } from "zod";
import { canonicalJson } from "../text/canonical-json.ts";
import { fromHex, sha256 } from "../text/digest.ts";
import { KernelBotError, quote } from "../errors.ts";
import { normalizeSource } from "../submission/source.ts";
import { isSignedBy, keyId, type PublicKey } from "./keys.ts";
import {
  RECEIPT_SCHEMA,
  receiptBytes,
  recomputedScore,
  seedCommitment,
  SignedReceipt,
  type Receipt,
} from "./receipt.ts";

/** Trusted data to verify a receipt with. None of it may come from the receipt or from its sender. */
export interface ReceiptEvidence {
  /** Public keys of the trusted server. */
  keys: readonly PublicKey[];
  /** Source that the receipt should be for. */
  source?: Uint8Array<ArrayBuffer> | undefined;
  /** Published seed from another source, in hexadecimal. */
  seed?: string | undefined;
}

/** Result of one check. `ok` is null if there was nothing to compare with. */
export interface ReceiptCheck {
  name: "signature" | "score" | "source" | "seed";
  ok: boolean | null;
  /** Explanation for a person. */
  detail: string;
}

/** Receipt of this form or another. */
const OfAnyForm = z.object({ receipt: z.object({ schema: z.string() }) });

/**
 * Verifies a receipt.
 * @throws KernelBotError `unprocessable` if the document is not a receipt of a known version.
 */
export async function checkReceipt(
  document: unknown,
  evidence: ReceiptEvidence,
): Promise<{ receipt: Receipt; checks: ReceiptCheck[] }> {
  const form = OfAnyForm.safeParse(document).data?.receipt.schema;
  if (form !== undefined && form !== RECEIPT_SCHEMA)
    throw new KernelBotError(
      "unprocessable",
      `this is a receipt of the form ${quote(form)}, and this version verifies those of ${RECEIPT_SCHEMA} only`,
    );
  const parsed = SignedReceipt.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const what = issue === undefined ? "" : `: ${issue.path.join(".") || "the document"}: ${issue.message}`;
    throw new KernelBotError("unprocessable", `this is not a receipt that this version can read${what}`);
  }
  const { receipt, signature, seed } = parsed.data;
  // Verifies the document as received, not as parsed, so that members which the schema drops cannot be added unsigned.
  const signed = receiptBytes((document as SignedReceipt).receipt);
  return {
    receipt,
    checks: [
      await checkSignature(receipt, signed, fromHex(signature), evidence.keys),
      checkScore(receipt),
      await checkSource(receipt, evidence.source),
      await checkSeed(receipt, [evidence.seed ?? null, seed]),
    ],
  };
}

async function checkSignature(
  receipt: Receipt,
  signed: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  keys: readonly PublicKey[],
): Promise<ReceiptCheck> {
  const name = "signature";
  const short = receipt.keyId.slice(0, 16);
  for (const key of keys) {
    // The key is matched by its computed thumbprint, because the id in a list of keys proves nothing.
    if ((await keyId(key.x)) !== receipt.keyId) continue;
    const ok = await isSignedBy(key, signed, signature).catch(() => false);
    return { name, ok, detail: ok ? `by the key ${short}…` : `invalid for the key ${short}…: the receipt was changed` };
  }
  return { name, ok: false, detail: `by an untrusted key (${short}…): the receipt may be forged` };
}

function checkScore(receipt: Receipt): ReceiptCheck {
  const name = "score";
  const samples = receipt.cases.flatMap(({ rounds }) => rounds.flatMap(({ candidateNs }) => candidateNs)).length;
  const from = samples > 0 ? `${samples} samples` : "the summary of the legacy harness";
  try {
    const ok = canonicalJson(recomputedScore(receipt)) === canonicalJson(receipt.score);
    return { name, ok, detail: ok ? `recomputed from ${from}: equal` : `recomputed from ${from}: different` };
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof KernelBotError)) throw error;
    return { name, ok: false, detail: `the score cannot be computed from its samples: ${error.message}` };
  }
}

async function checkSource({ source }: Receipt, given: ReceiptEvidence["source"]): Promise<ReceiptCheck> {
  const name = "source";
  if (given === undefined) return { name, ok: null, detail: "no file to compare with" };
  // The file as it is, and as a submission of it is read: without a byte order mark and CRLF.
  const hashes = [await sha256(given), await sha256(normalizeSource(new TextDecoder().decode(given)))];
  const ok = hashes.includes(source.sha256);
  return { name, ok, detail: ok ? "this file" : `a different file: its SHA-256 is not ${source.sha256.slice(0, 16)}…` };
}

async function checkSeed(receipt: Receipt, seeds: readonly (string | null)[]): Promise<ReceiptCheck> {
  const name = "seed";
  const { runId, attempt } = receipt;
  const published = seeds.filter((seed) => seed !== null);
  if (published.length === 0) return { name, ok: null, detail: "committed, and not published yet" };
  const commitments = await Promise.all(published.map((seed) => seedCommitment(seed, runId, attempt)));
  const ok = commitments.every((commitment) => commitment === receipt.seedCommitment);
  return { name, ok, detail: ok ? "published, and equal to the commitment" : "different from the commitment" };
}
