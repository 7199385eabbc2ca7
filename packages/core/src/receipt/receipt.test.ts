import { createHash, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { canonicalJson } from "../text/canonical-json.ts";
import { keyId, type PublicKey } from "./keys.ts";
import { checkReceipt, type ReceiptCheck } from "./checks.ts";
import { receiptBytes, recomputedScore, seedCommitment, type SignedReceipt } from "./receipt.ts";

/** Key of RFC 8037, appendix A, with its thumbprint from appendix A.3. */
const KEY: PublicKey = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  kid: "90facafea9b1556698540f70c0117a22ea37bd5cf3ed3c47093c1707282b4b89",
};
const PRIVATE_KEY = { kty: "OKP", crv: "Ed25519", x: KEY.x, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A" };
const SEED = "00112233445566778899aabbccddeeff".repeat(2);

/**
 * Returns a receipt that was signed with that key in the past. A change that invalidates the receipt requires a
 * new `schema`.
 */
function vector(change: Partial<SignedReceipt> = {}): SignedReceipt {
  const text = readFileSync(new URL("receipt.vector.json", import.meta.url), "utf8");
  return { ...(JSON.parse(text) as SignedReceipt), ...change };
}

async function verdicts(
  document: unknown,
  evidence: Partial<Parameters<typeof checkReceipt>[1]> = {},
): Promise<Record<ReceiptCheck["name"], boolean | null>> {
  const { checks } = await checkReceipt(document, { keys: [KEY], ...evidence });
  return Object.fromEntries(checks.map(({ name, ok }) => [name, ok])) as Record<ReceiptCheck["name"], boolean | null>;
}

/** Yields the document with each of its values replaced, one member added, or one removed. */
function* tampered(value: unknown): Generator {
  if (Array.isArray(value)) {
    yield [...(value as unknown[]), 1];
    for (const [at, inner] of value.entries()) for (const other of tampered(inner)) yield value.with(at, other);
  } else if (value !== null && typeof value === "object") {
    yield { ...value, more: 1 };
    for (const [name, inner] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
      for (const other of tampered(inner)) yield { ...value, [name]: other };
    }
  } else if (typeof value === "string") yield /^0/.test(value) ? `1${value.slice(1)}` : `0${value.slice(1)}`;
  else yield typeof value === "number" ? value + 1 : value === null ? 1 : !value;
}

test("the id of a key is its thumbprint", async () => {
  expect(await keyId(KEY.x)).toBe(KEY.kid);
});

test("a receipt is valid if its signature, samples and published seed are", async () => {
  expect(await verdicts(vector())).toEqual({ signature: true, score: true, source: null, seed: true });
});

test("an old receipt equals, byte for byte, the receipt computed from its samples today", async () => {
  const { receipt } = vector();
  const remade = { ...receipt, score: recomputedScore(receipt), seedCommitment: await seedCommitment(SEED, 7, 2) };
  const key = createPrivateKey({ key: PRIVATE_KEY, format: "jwk" });
  const signature = sign(null, receiptBytes(remade), key).toString("hex");
  // `vitest run FILE -u` rewrites it; once receipts have been issued, only together with a new `schema`.
  await expect(`${canonicalJson({ receipt: remade, signature, seed: SEED })}\n`).toMatchFileSnapshot(
    "receipt.vector.json",
  );
});

test("the order of members and whitespace are not signed", async () => {
  const { receipt } = vector();
  const reversed = Object.fromEntries(Object.entries(receipt).reverse()) as SignedReceipt["receipt"];
  expect(await verdicts(vector({ receipt: reversed }))).toMatchObject({ signature: true });
});

test("any changed, added or removed member invalidates the signature", async () => {
  const changes = [...tampered(vector())];
  expect(changes.length).toBeGreaterThan(200);
  const unseen: unknown[] = [];
  for (const changed of changes) {
    const seen = await verdicts(changed).then(
      (found) => Object.values(found).includes(false),
      () => true,
    );
    if (!seen) unseen.push(changed);
  }
  expect(unseen).toEqual([]);
});

test("a receipt signed by an untrusted key is invalid, even if a list gives that key a trusted id", async () => {
  const { x = "" } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
  expect(await verdicts(vector(), { keys: [] })).toMatchObject({ signature: false });
  expect(await verdicts(vector(), { keys: [{ ...KEY, x }] })).toMatchObject({ signature: false });
  expect(await verdicts(vector(), { keys: [{ ...KEY, x, kid: await keyId(x) }, KEY] })).toMatchObject({
    signature: true,
  });
});

test("a source is identified by its hash", async () => {
  const source = new TextEncoder().encode("pass\n");
  const sha256 = createHash("sha256").update(source).digest("hex");
  const { receipt } = vector();
  const about = vector({ receipt: { ...receipt, source: { sha256, sizeBytes: 5 } } });
  expect(await verdicts(about, { source })).toMatchObject({ source: true });
  const edited = new TextEncoder().encode("\ufeffpass\r\n");
  expect(await verdicts(about, { source: edited })).toMatchObject({ source: true });
  expect(await verdicts(vector(), { source })).toMatchObject({ source: false });
});

test("a published seed is compared with the commitment, from either source", async () => {
  expect(await verdicts(vector({ seed: null }))).toMatchObject({ seed: null });
  expect(await verdicts(vector({ seed: null }), { seed: SEED })).toMatchObject({ seed: true });
  expect(await verdicts(vector(), { seed: "0".repeat(64) })).toMatchObject({ seed: false });
  expect(await seedCommitment(SEED, 7, 1)).not.toBe(await seedCommitment(SEED, 7, 2));
});

test("an invalid receipt is rejected with the path of the first fault, and an old one with one sentence", async () => {
  await expect(checkReceipt({}, { keys: [] })).rejects.toThrow("not a receipt that this version can read: receipt:");
  const { receipt } = vector();
  const unknown = { ...vector(), receipt: { ...receipt, runId: "7" } };
  await expect(checkReceipt(unknown, { keys: [] })).rejects.toThrow("receipt.runId:");
  const older = { ...vector(), receipt: { ...receipt, schema: "kernelbot.receipt/1" } };
  await expect(checkReceipt(older, { keys: [] })).rejects.toThrow(
    'this is a receipt of the form "kernelbot.receipt/1", and this version verifies those of kernelbot.receipt/2 only',
  );
});
