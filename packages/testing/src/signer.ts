import { generateKeyPairSync } from "node:crypto";
import { perDatabase } from "@kernelbot/server/src/db/per-database.ts";
import { openSigner } from "@kernelbot/server/src/runs/signer.ts";

/** The signer of a test's database. */
export const testSigner = perDatabase((database) => openSigner(database, generateKeyPairSync("ed25519").privateKey));
