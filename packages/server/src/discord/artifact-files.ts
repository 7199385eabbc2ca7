/** The files of a run that go with its report: those of a profile. */
import { buffer } from "node:stream/consumers";
import type { RunDetail } from "@kernelbot/core";
import type { Bot } from "./bot.ts";
import { MAX_FILE_BYTES, type Message } from "./protocol.ts";

/** Discord takes ten; one may be the report. */
const MOST = 9;

/** The first ones, as many as fit; all are on the page that the report leads to. */
export async function artifactFiles(
  { store }: Bot,
  { mode, artifacts }: RunDetail,
): Promise<NonNullable<Message["files"]>> {
  if (mode !== "profile") return [];
  const files: { name: string; data: Buffer }[] = [];
  let room = MAX_FILE_BYTES;
  for (const { name, sizeBytes, sha256, deletedAt } of artifacts) {
    if (deletedAt !== null || sizeBytes > room || files.length === MOST) continue;
    const bytes = await store.get(sha256);
    if (bytes === null) continue;
    files.push({ name, data: await buffer(bytes) });
    room -= sizeBytes;
  }
  return files;
}
