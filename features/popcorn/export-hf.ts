/**
 * `POST /admin/export-hf`: publishes the data of all ended competitions to the Hugging Face Hub, as Discord's
 * `/admin export-hf` does, and waits until it is there.
 */
import { setTimeout as pause } from "node:timers/promises";
import { hasProblem, KernelBotError, quote, type SnapshotDetails } from "@kernelbot/core";
import { CORPUS_VARIANTS } from "@kernelbot/dataset";
import { z } from "zod";
import type { Viewer } from "@kernelbot/server/src/auth/visibility.ts";
import { listCompetitions } from "@kernelbot/server/src/competitions/competitions.ts";
import { requestPublication } from "@kernelbot/server/src/dataset/publish/publications.ts";
import { publicEnded, readSnapshot, requestSnapshot } from "@kernelbot/server/src/dataset/snapshots.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { readJson } from "@kernelbot/server/src/http/input.ts";
import type { PopcornCall } from "./route.ts";

const Export = z.strictObject({
  leaderboard_ids: z.array(z.int()).min(1).max(1000),
  filename: z.string().regex(/\.parquet$/, "filename must end with .parquet"),
  /** Whether others see the data set is a setting of the hub; what is published is public on this server, too. */
  private: z.boolean().default(true),
});

/** Longest wait for the publication, and the interval of reading its state, in milliseconds. */
const WAIT_MS = 15 * 60_000;
const READ_MS = 1000;

/**
 * The requested file name is not used: the data set has files of one layout for each competition. The answer names those
 * of the requested leaderboards.
 * @throws KernelBotError `bad_request` for a leaderboard that is not in an ended public competition; `unavailable` where
 * the publication failed or takes longer than `WAIT_MS`.
 */
export async function exportToHub({ c, services, identity }: PopcornCall): Promise<Response> {
  const { database } = services;
  const { leaderboard_ids: ids } = await readJson(c, Export);
  const requested = await competitionsOf(database, identity, ids);
  const published = await publicEnded(database.db);
  const missing = requested.filter((name) => !published.includes(name));
  if (missing.length > 0) {
    const names = missing.map(quote).join(", ");
    throw new KernelBotError("bad_request", `Cannot export ${names}: only ended public competitions are published`);
  }
  const { id } = await requestSnapshot(database, identity, { competitions: "ended" });
  await requestPublication(database, identity, id, "hugging_face");
  const { manifest, url } = await publishedSnapshot(database, identity, id, services.closing);
  const files = requested.flatMap((name) =>
    (CORPUS_VARIANTS.deduplicated_submissions ?? []).map((part) => `${name}/corpus/${part}.parquet`),
  );
  const rows = manifest.files.reduce((sum, file) => sum + (files.includes(file.path) ? (file.rows ?? 0) : 0), 0);
  const [, repo_id] = /\/datasets\/([^/]+\/[^/]+)\/tree\//.exec(url) ?? [];
  return c.json({ status: "ok", rows, repo_id, filename: files[0], files, url });
}

/** Returns the competitions of leaderboards, without duplicates. */
async function competitionsOf(database: Database, viewer: Viewer, ids: readonly number[]): Promise<string[]> {
  const problems = await database.db
    .selectFrom("problem")
    .select(["name", "number"])
    .where("number", "in", ids)
    .execute();
  const competitions = await listCompetitions(database, viewer);
  const names = ids.map((id) => {
    const problem = problems.find(({ number }) => number === id);
    if (problem === undefined) throw new KernelBotError("bad_request", `Leaderboard ${id} does not exist.`);
    const competition = competitions.find((each) => hasProblem(each, problem.name));
    if (competition !== undefined) return competition.name;
    throw new KernelBotError("bad_request", `Cannot export ${quote(problem.name)}: it is not in a competition`);
  });
  return [...new Set(names)];
}

async function publishedSnapshot(
  database: Database,
  viewer: Viewer,
  id: number,
  closing: AbortSignal,
): Promise<{ manifest: NonNullable<SnapshotDetails["manifest"]>; url: string }> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until && !closing.aborted; await pause(READ_MS)) {
    const { state, message, manifest, publications } = await readSnapshot(database, viewer, id);
    const publication = publications.find(({ destination }) => destination === "hugging_face");
    if (state === "failed") throw new KernelBotError("unavailable", `Export failed: ${message ?? "unknown error"}`);
    if (publication?.state === "failed") {
      throw new KernelBotError("unavailable", `Export failed: ${publication.message ?? "unknown error"}`);
    }
    if (publication?.state === "done" && publication.url !== null && manifest !== null) {
      return { manifest, url: publication.url };
    }
  }
  throw new KernelBotError("unavailable", `snapshot ${id} is not published yet; /data/${id} shows the progress`);
}
