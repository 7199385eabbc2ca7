/** Files attached to the report of a profile run. */
import { buffer } from "node:stream/consumers";
import type { RunDetail } from "@kernelbot/core";
import type { Bot } from "./bot.ts";
import { MAX_FILE_BYTES, type Message } from "./protocol.ts";

/** Discord accepts ten files per message; one may be the report. */
const MAX_FILES = 9;

/** Returns the first artifacts that fit into a message. All artifacts are on the run's page. */
export async function artifactFiles(
  { store }: Bot,
  { mode, artifacts }: RunDetail,
): Promise<NonNullable<Message["files"]>> {
  if (mode !== "profile") return [];
  const files: { name: string; data: Buffer }[] = [];
  let room = MAX_FILE_BYTES;
  for (const { name, sizeBytes, sha256, deletedAt } of artifacts) {
    if (deletedAt !== null || sizeBytes > room || files.length === MAX_FILES) continue;
    const bytes = await store.get(sha256);
    if (bytes === null) continue;
    files.push({ name, data: await buffer(bytes) });
    room -= sizeBytes;
  }
  return files;
}
