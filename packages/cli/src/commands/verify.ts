import { readFile } from "node:fs/promises";
import {
  checkReceipt,
  formatBytes,
  Hex256,
  KernelBotError,
  KeyList,
  parseExactJson,
  type PublicKey,
  type Receipt,
  type ReceiptCheck,
} from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { receiptLines } from "../render/receipt.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

/** Maximum size of a receipt or key list in bytes, far above any valid document. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

export const command = defineCommand({
  name: "verify",
  positionals: ["FILE"],
  options: {
    key: { type: "string", short: "k", value: "FILE", help: "Public keys of the server; no request is sent" },
    source: { type: "string", value: "FILE", help: "Source file that the receipt must be for" },
    seed: { type: "string", value: "HEX", help: "Seed of the run, if known from elsewhere" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Checks the signature, and that the stored samples give the score. The public keys come from --key or from the server, " +
      "never from the receipt, which could be signed with any key. To save them: curl SERVER/api/v1/keys > keys.json",
    "Exits with 0 if the receipt is valid, and with 1 if not.",
  ],
  run: async ({ key, source, seed, json, server }, file) => {
    if (seed !== undefined && !Hex256.safeParse(seed).success) {
      throw new UsageError("--seed must be 64 lower-case hexadecimal digits");
    }
    const document = parsedJson(file, await read(file));
    const sourceBytes = source === undefined ? undefined : await read(source);
    const trusted = key === undefined ? await keysOfServer(server) : await keysOfFile(key);
    const { receipt, checks } = await checkReceipt(document, { keys: trusted.keys, source: sourceBytes, seed });
    const isValid = checks.every((check) => check.ok !== false);
    if (json) process.stdout.write(`${jsonDocument({ holds: isValid, checks, receipt })}\n`);
    else printLines(sanitize(receipt), checks, trusted.whose);
    return isValid ? EXIT.passed : EXIT.failed;
  },
});

interface Trusted {
  keys: readonly PublicKey[];
  /** Owner of the keys, as shown to the user: the server's address or the file's path. */
  whose: string;
}

async function keysOfServer(option: string | undefined): Promise<Trusted> {
  const { client, server } = await connect(option);
  return { keys: await client.keys(), whose: server };
}

async function keysOfFile(path: string): Promise<Trusted> {
  const parsed = KeyList.safeParse(parsedJson(path, await read(path)));
  if (parsed.success) return { keys: parsed.data.keys, whose: path };
  throw new UsageError(`${JSON.stringify(path)} is not a list of public keys; download it from SERVER/api/v1/keys`);
}

function printLines(receipt: Receipt, checks: readonly ReceiptCheck[], whose: string): void {
  const { style, print } = terminalOf(process.stdout);
  print(receiptLines(receipt, checks, whose, style));
}

async function read(path: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(path);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = missing ? "does not exist" : `cannot be read: ${(error as Error).message}`;
    throw new UsageError(`${JSON.stringify(path)} ${why}`, { cause: error });
  }
}

function parsedJson(path: string, bytes: Buffer): unknown {
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw new UsageError(
      `${JSON.stringify(path)} is too large: a receipt has at most ${formatBytes(MAX_DOCUMENT_BYTES)}`,
    );
  }
  try {
    return parseExactJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof KernelBotError) throw new UsageError(`${JSON.stringify(path)}: ${error.message}`);
    throw new UsageError(`${JSON.stringify(path)} is not valid JSON; it may be incomplete`, { cause: error });
  }
}
