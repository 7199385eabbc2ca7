/**
 * The private key that signs receipts. It is a file and not a row, so that access to the database or a copy of it does
 * not allow signing. All servers of one database use the same file.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KernelBotError, quote } from "@kernelbot/core";
import { defaultDataDir, MAKE_A_KEY, type ServeOptions } from "./config.ts";

/**
 * Returns the configured key, else the one in the data directory, which is created if missing.
 * @throws KernelBotError `bad_request` if the file has no valid key.
 */
export async function readSigningKey({
  signingKey,
  data,
}: Pick<ServeOptions, "signingKey" | "data">): Promise<KeyObject> {
  if (signingKey !== undefined) return parseKey(signingKey, await read(signingKey));
  return ownKey(data ?? defaultDataDir(process.env));
}

/**
 * Reads or creates the key in the data directory. The caller has the database of this directory open, so no other
 * process creates a key at the same time.
 */
async function ownKey(dataDir: string): Promise<KeyObject> {
  const path = join(dataDir, "signing-key.pem");
  try {
    return parseKey(path, await readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const { privateKey } = generateKeyPairSync("ed25519");
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flush: true });
  await rename(draft, path);
  return privateKey;
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? "file not found" : "it cannot be read";
    throw new KernelBotError("bad_request", `--signing-key ${quote(path)}: ${why}; ${MAKE_A_KEY}`, { cause: error });
  }
}

/** Parses a key. The parser's errors are not passed on because they might quote the key. */
function parseKey(path: string, pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // Reported below, together with keys of other types.
  }
  if (key?.asymmetricKeyType === "ed25519") return key;
  throw new KernelBotError("bad_request", `${quote(path)} is not a private Ed25519 key in PEM format; ${MAKE_A_KEY}`);
}
