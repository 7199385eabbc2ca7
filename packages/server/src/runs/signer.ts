/** Signs receipts with an Ed25519 key (RFC 8032). The private key never leaves the process that has read it. */
import { createPublicKey, sign, type KeyObject } from "node:crypto";
import { keyId, PublicKey } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";

export interface Signer {
  readonly publicKey: PublicKey;
  /** Returns the signature, 64 bytes. Deterministic. */
  sign(bytes: Uint8Array): Buffer;
}

/** Returns a signer for a private key, and stores the public key so that it is listed from now on. */
export async function openSigner(database: Database, privateKey: KeyObject): Promise<Signer> {
  const { kty, crv, x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const publicKey = PublicKey.parse({ kty, crv, x, kid: await keyId(x) });
  await idempotent(database.db)
    .insertInto("signing_key")
    .values({ id: publicKey.kid, public_key: publicKey.x })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return { publicKey, sign: (bytes) => sign(null, bytes, privateKey) };
}

/** Lists all public keys that receipts were ever signed with, the newest first. */
export async function listKeys({ db }: Database): Promise<PublicKey[]> {
  const rows = await db
    .selectFrom("signing_key")
    .select(["id", "public_key"])
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ kty: "OKP", crv: "Ed25519", x: row.public_key, kid: row.id }));
}
