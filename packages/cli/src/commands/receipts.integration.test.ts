/** Downloading, checking and opening receipts with the commands. */
import { spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { formatTiming, keyId, receiptBytes, type PublicKey, type SignedReceipt } from "@kernelbot/core";
import { speedupWords } from "../render/cases.ts";
import { startFakeServer, type World } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { run, worldOf } from "@kernelbot/testing/cli/samples.ts";

/** Receipt of run 7, signed with the key of RFC 8037, appendix A. */
const VECTOR = readFileSync(resolve(import.meta.dirname, "../../../core/src/receipt/receipt.vector.json"), "utf8");
const KEY: PublicKey = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  kid: "90facafea9b1556698540f70c0117a22ea37bd5cf3ed3c47093c1707282b4b89",
};
const RANKED = { mode: "ranked", verdict: "passed" } as const;

const signed = (): SignedReceipt => JSON.parse(VECTOR) as SignedReceipt;
const world = (change: Partial<World> = {}): World => ({ ...worldOf(run(RANKED), []), keys: [KEY], ...change });

/** Runs `kernelbot verify` on a receipt with its keys in a file, without a server. */
async function verify(receipt: unknown, args: readonly string[] = [], { keys = [KEY], source = "pass\n" } = {}) {
  using place = workshop();
  place.file("receipt.json", typeof receipt === "string" ? receipt : JSON.stringify(receipt));
  place.file("keys.json", JSON.stringify({ keys }));
  place.file("kernel.py", source);
  const env = { KERNELBOT_SERVER: "http://127.0.0.1:1" };
  return await place.kernelbot(["verify", "receipt.json", "--key", "keys.json", ...args], { env });
}

test("the script of the docs recomputes the score of a receipt to the last digit", async () => {
  using place = workshop();
  const script = resolve(import.meta.dirname, "../../../core/src/receipt/recompute_score.py");
  const recomputed = (change: object) => {
    const { receipt, ...more } = signed();
    const file = place.file("receipt.json", JSON.stringify({ ...more, receipt: { ...receipt, ...change } }));
    return spawnSync("python3", [script, file], { encoding: "utf8" }).stdout;
  };
  const { timeNs, speedup } = signed().receipt.score;
  const found = /^speedup (\S+) as signed\ntimeNs (\S+) as signed\nranks by speedup\n$/.exec(recomputed({}));
  expect(found?.slice(1).map(Number)).toEqual([
    expect.closeTo(speedup?.value ?? 0, 12),
    expect.closeTo(timeNs.value, 8),
  ]);
  expect(recomputed({ rankingBy: "last" })).toContain("but signed: ");
});

test("a valid receipt is printed line by line, without a server", async () => {
  const { code, out, err } = await verify(VECTOR);
  const { timeNs, speedup } = signed().receipt.score;
  expect(out).toBe(`vectoradd on cpu, run 7 of submission 12
  ${speedupWords(speedup)} as fast as the reference, ${formatTiming(timeNs)}
  kernel.py by Ada Lovelace €, SHA-256 8c1f1f1f1f1f1f1f…
  2026-03-01 12:00 on Fast CPU, 2 threads

  ✓ signature  by the key 90facafea9b15566…, from keys.json
  ✓ score      recomputed from 36 samples: equal
  · source     no file to compare with
  ✓ seed       published, and equal to the commitment

The receipt is valid.
`);
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("a changed receipt is not valid", async () => {
  const changed = signed();
  changed.receipt.score.timeNs.value /= 2;
  const { code, out } = await verify(changed);
  expect(out).toContain(`
  ✗ signature  invalid for the key 90facafea9b15566…: the receipt was changed
  ✗ score      recomputed from 36 samples: different
`);
  expect(out).toContain("\nThe receipt is not valid: signature, score.\n");
  expect(code).toBe(1);
});

test("a receipt signed with an unknown key is not valid", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  const { receipt } = signed();
  const forged = { ...receipt, keyId: await keyId(x) };
  const signature = sign(null, receiptBytes(forged), privateKey).toString("hex");
  const { code, out } = await verify({ ...signed(), receipt: forged, signature });
  expect(out).toContain("✗ signature  by an untrusted key");
  expect(code).toBe(1);
});

test("a source is compared by its hash", async () => {
  const { receipt } = signed();
  const right = createHash("sha256").update("pass\n").digest("hex");
  expect(receipt.source.sha256).not.toBe(right);
  const { code, out } = await verify(VECTOR, ["--source", "kernel.py"]);
  expect(out).toContain("✗ source     a different file: its SHA-256 is not 8c1f1f1f1f1f1f1f…");
  expect(code).toBe(1);
});

test("a seed from elsewhere is checked against the commitment", async () => {
  const { seed } = signed();
  const closed = { ...signed(), seed: null };
  expect((await verify(closed)).out).toContain("· seed       committed, and not published yet");
  expect(await verify(closed, ["--seed", seed ?? ""])).toMatchObject({ code: 0 });
  expect(await verify(closed, ["--seed", "0".repeat(64)])).toMatchObject({ code: 1 });
});

test("--json has the checks and the receipt in one document", async () => {
  const { code, out } = await verify(VECTOR, ["--json"]);
  expect(JSON.parse(out)).toMatchObject({
    holds: true,
    checks: [{ name: "signature", ok: true }, { name: "score" }, { name: "source", ok: null }, { name: "seed" }],
    receipt: { runId: 7 },
  });
  expect(code).toBe(0);
});

test("a receipt is printed without control characters", async () => {
  const hostile = signed();
  hostile.receipt.account.name = "\u001b[2J\u001b]0;owned\u0007ada\nThe receipt is valid.";
  const { out } = await verify(hostile);
  expect(out).toContain("kernel.py by ada The receipt is valid., SHA-256");
  expect(out).not.toMatch(/\u001b|\u0007/);
});

test.each([
  ["{", [], 'kernelbot: "receipt.json" is not valid JSON'],
  ["{}", [], "kernelbot: this is not a receipt that this version can read: receipt:"],
  [
    VECTOR.replace('"fileName"', '"fileName":"other.py","fileName"'),
    [],
    'receipt.json": this JSON is ambiguous: "fileName" occurs twice in the same object',
  ],
  [
    VECTOR.replace('"bytes":12288', '"bytes":12288.0000000000000000001'),
    [],
    "the number 12288.0000000000000000001 is read as 12288",
  ],
  [VECTOR.replace('"size":1024', `"size":${"[".repeat(9999)}${"]".repeat(9999)}`), [], "nested more than 64 deep"],
  [VECTOR + " ".repeat(2 ** 25), [], 'receipt.json" is too large: a receipt has at most 32.00 MiB'],
  [VECTOR, ["--seed", "1"], "kernelbot: --seed must be 64 lower-case hexadecimal digits"],
  [VECTOR, ["--source", "none.py"], 'kernelbot: "none.py" does not exist'],
  [VECTOR, ["--key", "kernel.py"], 'kernelbot: "kernel.py" is not valid JSON'],
  [VECTOR, ["--key", "receipt.json"], 'kernelbot: "receipt.json" is not a list of public keys'],
])("documents that cannot be checked are rejected with the reason (%#)", async (receipt, args, sentence) => {
  const { code, err } = await verify(receipt, args);
  expect(err).toContain(sentence);
  expect(code).toBe(2);
});

test("a receipt is written unchanged to a file, and verified with the keys of the server", async () => {
  using place = workshop();
  await using server = await startFakeServer(world({ receipt: VECTOR.trim() }));
  const got = await place.kernelbot(["receipt", "12", "--out", "r.json"], { server: server.url });
  expect(got).toEqual({ code: 0, out: "Written to r.json. To check it: kernelbot verify r.json\n", err: "" });
  expect(readFileSync(join(place.folder, "r.json"), "utf8")).toBe(VECTOR);
  const { code, out } = await place.kernelbot(["verify", "r.json"], { server: server.url });
  expect(out).toContain(`✓ signature  by the key 90facafea9b15566…, from ${server.url}\n`);
  expect(code).toBe(0);
  expect((await place.kernelbot(["receipt", "12"], { server: server.url })).out).toBe(VECTOR);
});

test("a missing receipt and an ambiguous target are reported", async () => {
  using place = workshop();
  await using none = await startFakeServer(worldOf(run({ mode: "test" }), []));
  const { code, err } = await place.kernelbot(["receipt", "12"], { server: none.url });
  expect({ code, err }).toEqual({
    code: 2,
    err: "kernelbot: submission 12 has no receipt: it has no ranked run that passed\n",
  });
  const two = world();
  two.submission.runs.push({ ...run(RANKED), id: 8, target: "H100" });
  two.submission.mode = "ranked";
  await using server = await startFakeServer({ ...two, receipt: VECTOR });
  const many = await place.kernelbot(["receipt", "12"], { server: server.url });
  expect(many.err).toBe("kernelbot: --target NAME is required: submission 12 passed on cpu and H100\n");
  await place.kernelbot(["receipt", "12", "--target", "H100"], { server: server.url });
  expect(server.requests.at(-1)?.path).toBe("/runs/8/receipt");
});

test("show prints the address of the receipt", async () => {
  using place = workshop();
  await using server = await startFakeServer(world());
  const { out } = await place.kernelbot(["show", "12"], { server: server.url });
  expect(out).toContain(`\n${server.url}/submissions/12\n${server.url}/api/v1/runs/7/receipt\n`);
});

test("close requires confirmation", async () => {
  using place = workshop();
  await using server = await startFakeServer(world());
  const unconfirmed = await place.kernelbot(["close", "vectoradd"], { server: server.url });
  expect(unconfirmed).toMatchObject({ code: 2, err: expect.stringContaining("use --yes") as string });
  expect(server.requests).toEqual([]);
  const closed = await place.kernelbot(["close", "vectoradd", "--yes"], { server: server.url });
  expect(closed).toEqual({
    code: 0,
    out: "vectoradd was closed at 2026-03-01 12:00. Its receipts now reveal their seeds.\n",
    err: "",
  });
});
