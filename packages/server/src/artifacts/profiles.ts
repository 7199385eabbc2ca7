/** Profiles of submissions: traces, summarized, and the texts of device profilers. */
import {
  formatBytes,
  KernelBotError,
  MAX_TRACE_BYTES,
  sanitize,
  type Profile,
  type RunArtifact,
  type RunDetail,
  type TraceReading,
} from "@kernelbot/core";
import { compute } from "../compute/pool.ts";
import type { ObjectStore } from "./store.ts";

/** Traces of the cases of a run, as the tester names them. */
const TRACE_NAME = /^profile\.\d+\.trace\.json\.gz$/;
/** Texts of device profilers. */
const REPORT_NAME = /^profile\.\d+\.(ncu|rocprof)\.txt$/;
/** Maximum number of traces, and of reports, that are read; the others are only downloads. */
const MAX_READ = 8;
const MAX_TEXT_BYTES = 64 * 1024;

/** Number of readings in the cache, each of at most about 200 KB; the least recently used ones are dropped. */
const CACHED_READINGS = 64;
/** Time in milliseconds after which a failed reading is repeated. */
const RETRY_MS = 60_000;
/** Readings by the SHA-256 of their trace. Traces with equal content share one. */
const readings = new Map<string, Promise<TraceReading>>();

/**
 * Reads the first traces and reports of a submission's profiles, one after the other, to leave threads to other requests.
 * The caller must have checked that the viewer may read the artifacts.
 */
export async function readProfile(
  store: ObjectStore,
  runs: readonly Pick<RunDetail, "id" | "target" | "artifacts">[],
): Promise<Profile> {
  const named = (pattern: RegExp) =>
    runs.flatMap(({ id, target, artifacts }) =>
      artifacts
        .filter(({ name, deletedAt }) => pattern.test(name) && deletedAt === null)
        .map((artifact) => ({ of: { runId: id, target, name: artifact.name }, artifact })),
    );
  const [traces, reports] = [named(TRACE_NAME), named(REPORT_NAME)];
  const profile: Profile = { traces: [], reports: [], omitted: 0 };
  for (const { of, artifact } of traces.slice(0, MAX_READ)) {
    profile.traces.push({ ...of, ...(await readTrace(store, artifact)) });
  }
  for (const { of, artifact } of reports.slice(0, MAX_READ)) {
    const text = await readText(store, artifact);
    if (text !== null) profile.reports.push({ ...of, text });
  }
  profile.omitted = Math.max(0, traces.length - MAX_READ) + Math.max(0, reports.length - MAX_READ);
  return profile;
}

/** Returns a text, of a long one the beginning with a note; null if it is missing from the store. */
async function readText(store: ObjectStore, { sha256, sizeBytes }: RunArtifact): Promise<string | null> {
  const bytes = await store.get(sha256);
  if (bytes === null) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= MAX_TEXT_BYTES) break;
  }
  const text = sanitize(Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES).toString());
  if (sizeBytes <= MAX_TEXT_BYTES) return text;
  // Without the last line, which is incomplete.
  return `${text.replace(/\n[^\n]*$/, "")}\n… The file continues: it has ${formatBytes(sizeBytes)}.\n`;
}

/** Reads and summarizes a trace. */
async function readTrace(store: ObjectStore, { sha256, sizeBytes }: RunArtifact): Promise<TraceReading> {
  if (sizeBytes > MAX_TRACE_BYTES) {
    return { summary: null, problem: `It is longer than ${formatBytes(MAX_TRACE_BYTES)}.` };
  }
  const reading = readings.get(sha256) ?? cachedSummary(store, sha256);
  // Moves the reading to the end: the Map is ordered by last use.
  readings.delete(sha256);
  readings.set(sha256, reading);
  const [oldest] = readings.keys();
  if (readings.size > CACHED_READINGS && oldest !== undefined) readings.delete(oldest);
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    return { summary: null, problem: "The server could not read it now; reload the page in a minute." };
  }
}

function cachedSummary(store: ObjectStore, sha256: string): Promise<TraceReading> {
  const reading = summarize(store, sha256);
  // A failure is cached for a while too: a trace that exceeds the limits of a thread must not occupy threads on each view.
  reading.catch(() => setTimeout(() => readings.delete(sha256), RETRY_MS).unref());
  return reading;
}

/** @throws KernelBotError `unavailable` if the server is busy or the object is missing. */
async function summarize(store: ObjectStore, sha256: string): Promise<TraceReading> {
  const bytes = await store.get(sha256);
  if (bytes === null) throw new KernelBotError("unavailable", "it is missing from the object store");
  return compute("profile", Buffer.concat(await bytes.toArray()));
}
