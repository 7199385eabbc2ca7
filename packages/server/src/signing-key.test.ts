import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSigningKey } from "./signing-key.ts";

let data: string;
beforeEach(() => void (data = mkdtempSync(join(tmpdir(), "kernelbot-key-"))));
afterEach(() => rmSync(data, { recursive: true }));

function file(text: string): string {
  const path = join(data, "named.pem");
  writeFileSync(path, text);
  return path;
}

test("the first start creates a key that only its owner can read, and later starts read it", async () => {
  const made = await readSigningKey({ data });
  expect(made.asymmetricKeyType).toBe("ed25519");
  expect(readdirSync(data)).toEqual(["signing-key.pem"]);
  expect(statSync(join(data, "signing-key.pem")).mode & 0o777).toBe(0o600);
  expect((await readSigningKey({ data })).equals(made)).toBe(true);
});

test("uses a configured key and creates none", async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const signingKey = file(privateKey.export({ type: "pkcs8", format: "pem" }) as string);
  const read = await readSigningKey({ signingKey, data });
  expect(read.equals(privateKey)).toBe(true);
  expect(readdirSync(data)).toEqual(["named.pem"]);
});

test("rejects a file without a valid key by name, without quoting its content", async () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const pem = rsa.export({ type: "pkcs8", format: "pem" }) as string;
  for (const text of [pem, pem.slice(0, 200), "hunter2"]) {
    const error = await readSigningKey({ signingKey: file(text) }).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: "bad_request" });
    expect(inspect(error)).toContain('named.pem" is not a private Ed25519 key in PEM format; openssl genpkey');
    expect(inspect(error, { depth: null })).not.toContain(text.slice(60, 100) || text);
  }
  await expect(readSigningKey({ signingKey: join(data, "none") })).rejects.toThrow("file not found");
});

test("a damaged generated key prevents the start instead of being replaced", async () => {
  writeFileSync(join(data, "signing-key.pem"), "");
  await expect(readSigningKey({ data })).rejects.toThrow("is not a private Ed25519 key");
  expect(readFileSync(join(data, "signing-key.pem"), "utf8")).toBe("");
});
