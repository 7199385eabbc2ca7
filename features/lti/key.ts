/** The RSA key of this server as an LTI tool. Platforms verify its signatures with the published public key. */
import { createPrivateKey, createPublicKey, generateKeyPair, hash, type JsonWebKey, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { perDatabase } from "@kernelbot/server/src/db/per-database.ts";

/** Signs with the server's Ed25519 key. Equal bytes have equal signatures. */
export type Sign = (bytes: Uint8Array) => Buffer;

/** Returns how the services of a server sign. */
export function signOf({ signer }: { signer: { sign: Sign } }): Sign {
  return (bytes) => signer.sign(bytes);
}

interface ToolKey {
  privateKey: KeyObject;
  publicKey: JsonWebKey;
  kid: string;
}

const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const keys = perDatabase(() => new Map<"key", Promise<ToolKey>>());

/** Returns the key, which is created at the first call. @throws KernelBotError `unavailable` if it cannot be decrypted. */
export function toolKey(database: Database, sign: Sign): Promise<ToolKey> {
  const known = keys(database);
  const found = known.get("key");
  if (found !== undefined) return found;
  const read = readKey(database, sign);
  known.set("key", read);
  read.catch(() => known.delete("key"));
  return read;
}

/** Returns the private key for the Web Crypto API. */
export function cryptoKey({ privateKey }: ToolKey): Promise<CryptoKey> {
  const der = privateKey.export({ type: "pkcs8", format: "der" });
  return crypto.subtle.importKey("pkcs8", new Uint8Array(der), ALGORITHM, false, ["sign"]);
}

async function readKey({ db }: Database, sign: Sign): Promise<ToolKey> {
  // A secret that only servers with the signing key can compute. No other message that they sign begins so.
  const passphrase = hash("sha256", sign(Buffer.from("kernelbot: encryption of the LTI key")), "hex");
  const stored = async () => (await db.selectFrom("lti_key").select("pem").executeTakeFirst())?.pem;
  let pem = await stored();
  if (pem === undefined) {
    const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
    const fresh = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }).toString();
    await db
      .insertInto("lti_key")
      .values({ pem: fresh })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    pem = (await stored()) ?? fresh;
  }
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey({ key: pem, passphrase });
  } catch (error) {
    throw new KernelBotError(
      "unavailable",
      "the key for learning platforms was encrypted with another signing key; start the server with that --signing-key, or delete the row of the table lti_key to create a new key",
      { cause: error },
    );
  }
  const publicKey = createPublicKey(privateKey).export({ format: "jwk" });
  return { privateKey, publicKey, kid: hash("sha256", publicKey.n ?? "", "base64url") };
}
