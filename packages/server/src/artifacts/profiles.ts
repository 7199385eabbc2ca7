/** Traces of profiles, summarized for the page of their submission. */
import { formatBytes, KernelBotError, MAX_TRACE_BYTES, type RunArtifact, type TraceReading } from "@kernelbot/core";
import { compute } from "../compute/pool.ts";
import type { ObjectStore } from "./store.ts";

/** Traces of the cases of a run, as the tester names them. */
const TRACE_NAME = /^profile\.\d+\.trace\.json\.gz$/;

/** Number of readings in the cache, each of at most about 200 KB; the least recently used ones are dropped. */
const CACHED_READINGS = 64;
/** Time in milliseconds after which a failed reading is repeated. */
const RETRY_MS = 60_000;
/** Readings by the SHA-256 of their trace. Traces with equal content share one. */
const readings = new Map<string, Promise<TraceReading>>();

/** Returns the traces among the artifacts of a run that are not deleted. */
export function tracesOf(artifacts: readonly RunArtifact[]): RunArtifact[] {
  return artifacts.filter(({ name, deletedAt }) => TRACE_NAME.test(name) && deletedAt === null);
}

/** Reads and summarizes a trace. The caller must have checked that the viewer may read the artifact. */
export async function readTrace(store: ObjectStore, { sha256, sizeBytes }: RunArtifact): Promise<TraceReading> {
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
