/**
 * Checks of a receipt, from nothing but the receipt and what one trusts: the server's public keys, one's own source, a
 * seed that was opened.
 *
 *     const { receipt, checks } = await checkReceipt(JSON.parse(text), { keys, source });
 *     checks.every((check) => check.ok !== false)   // it holds
 */
import { canonicalJson } from "./canonical-json.ts";
import { fromHex, sha256 } from "./digest.ts";
import { KernelBotError } from "./errors.ts";
import { isSignedBy, keyId, type PublicKey } from "./keys.ts";
import { receiptBytes, recomputedScore, seedCommitment, SignedReceipt, type Receipt } from "./receipt.ts";

/** What a receipt is held against. None of it may come from the receipt or from whoever handed it over. */
export interface Evidence {
  /** The public keys of the server that is trusted. */
  keys: readonly PublicKey[];
  /** The source that the receipt should be about. */
  source?: Uint8Array<ArrayBuffer> | undefined;
  /** A seed that was opened elsewhere, in hexadecimal. */
  seed?: string | undefined;
}

/** One check. `ok` is null where there was nothing to check it with. */
export interface ReceiptCheck {
  name: "signature" | "score" | "source" | "seed";
  ok: boolean | null;
  /** For a person. */
  detail: string;
}

/** @throws KernelBotError `unprocessable` for a document that is no receipt of a version that we know. */
export async function checkReceipt(
  document: unknown,
  evidence: Evidence,
): Promise<{ receipt: Receipt; checks: ReceiptCheck[] }> {
  const parsed = SignedReceipt.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const what = issue === undefined ? "" : `: ${issue.path.join(".") || "the document"}: ${issue.message}`;
    throw new KernelBotError("unprocessable", `this is no receipt that this version understands${what}`);
  }
  const { receipt, signature, seed } = parsed.data;
  // The bytes of the document as it came, and not of what the schema keeps: whatever else stands in it was not signed.
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
    // By its own thumbprint: what a list calls it proves nothing.
    if ((await keyId(key.x)) !== receipt.keyId) continue;
    const ok = await isSignedBy(key, signed, signature).catch(() => false);
    return { name, ok, detail: ok ? `by the key ${short}…` : `not by the key ${short}…: the receipt was changed` };
  }
  return { name, ok: false, detail: `by a key that is not trusted (${short}…): anybody could have made this receipt` };
}

function checkScore(receipt: Receipt): ReceiptCheck {
  const name = "score";
  const samples = receipt.cases.flatMap(({ rounds }) => rounds.flatMap(({ candidateNs }) => candidateNs)).length;
  const from = samples > 0 ? `${samples} samples` : "what the legacy harness says";
  try {
    const ok = canonicalJson(recomputedScore(receipt)) === canonicalJson(receipt.score);
    return { name, ok, detail: ok ? `recomputed from ${from}: the same` : `recomputed from ${from}: another` };
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof KernelBotError)) throw error;
    return { name, ok: false, detail: `its samples give no score: ${error.message}` };
  }
}

async function checkSource({ source }: Receipt, given: Evidence["source"]): Promise<ReceiptCheck> {
  const name = "source";
  if (given === undefined) return { name, ok: null, detail: "no file to compare with" };
  const ok = (await sha256(given)) === source.sha256;
  return { name, ok, detail: ok ? "this file" : `another file: its SHA-256 is not ${source.sha256.slice(0, 16)}…` };
}

async function checkSeed(receipt: Receipt, seeds: readonly (string | null)[]): Promise<ReceiptCheck> {
  const name = "seed";
  const { runId, attempt } = receipt;
  const given = seeds.filter((seed) => seed !== null);
  if (given.length === 0) return { name, ok: null, detail: "committed to, and not opened yet" };
  const commitments = await Promise.all(given.map((seed) => seedCommitment(seed, runId, attempt)));
  const ok = commitments.every((commitment) => commitment === receipt.seedCommitment);
  return { name, ok, detail: ok ? "opened: it is the one committed to" : "not the one that was committed to" };
}
