/** Tasks of the pool: pure functions whose time depends on users' input. */
import { gunzipSync } from "node:zlib";
import {
  checkEntryFile,
  decodeUtf8,
  diffSources,
  fingerprintsOf,
  findJsonFaults,
  formatBytes,
  KernelBotError,
  languageOf,
  MAX_TRACE_BYTES,
  parseTrace,
  similarity,
  summarizeProfile,
  tokensOf,
  type CheckedKernelBenchEntry,
  type CheckedSuite,
  type ComparedSubmissions,
  type JsonFaults,
  type Side,
  type SourceDiff,
  type TraceReading,
} from "@kernelbot/core";
import type { ComparePage } from "@kernelbot/web";

/** A source and its file name, from which the language is derived. */
interface NamedSource {
  source: string;
  fileName: string;
}

/** Two submissions and their sources; the task computes the diff. */
export interface Comparable {
  compared: Omit<ComparedSubmissions, "diff">;
  sources: Record<Side, string>;
}

export const TASKS = {
  /** Returns the response of `GET /api/v1/compare`, as JSON. */
  comparison: ({ compared, sources }: Comparable): string =>
    JSON.stringify({ ...compared, diff: diffSources(sources.a, sources.b) } satisfies ComparedSubmissions),

  /** Returns the page that compares two submissions, as HTML. */
  comparisonPage: async ({ compared, sources, visit }: Comparable & Pick<ComparePage, "visit">): Promise<string> => {
    // Loaded with the first page, because it takes as long to load as the rest of the thread.
    const { comparePage } = await import("@kernelbot/web");
    return comparePage({ compared: { ...compared, diff: diffSources(sources.a, sources.b) }, sources, visit });
  },

  /** Returns the fingerprints of a source. */
  fingerprints: (file: NamedSource): number[] => fingerprintsOf(tokens(file)),

  /** Returns the similarity of each other source, and the diff from the most similar one. */
  similarities: ({ own, others }: { own: NamedSource; others: readonly NamedSource[] }): Similarities => {
    const ofOwn = tokens(own);
    const values = others.map((other) => similarity(ofOwn, tokens(other)));
    const nearest = others[values.indexOf(Math.max(...values))];
    return { values, diff: nearest === undefined ? null : diffSources(nearest.source, own.source) };
  },

  /** Checks a KernelBench submission file; `file` is null when it has errors. */
  entryFile: ({ bytes, suite }: { bytes: Uint8Array; suite: CheckedSuite }): CheckedKernelBenchEntry => {
    try {
      return checkEntryFile(decodeUtf8(bytes), suite);
    } catch (error) {
      if (!(error instanceof KernelBotError)) throw error;
      const what = error.message;
      return {
        check: { ok: false, faults: [{ key: null, severity: "error", what }], levels: [], kernels: 0 },
        file: null,
      };
    }
  },

  /** Parses a JSON document; returns its value, or the place of the first syntax error. */
  json: (bytes: Uint8Array): Pick<JsonFaults, "place"> & { value: unknown } => {
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) {
      throw new KernelBotError("bad_request", `The body is not JSON in UTF-8: ${String(error)}`);
    }
    const { place } = findJsonFaults(text);
    return { place, value: place === null ? JSON.parse(text) : null };
  },

  /** Summarizes a trace of a profile. @param bytes JSON, compressed by gzip; untrusted. */
  profile: (bytes: Uint8Array): TraceReading => {
    let trace: unknown;
    try {
      trace = JSON.parse(gunzipSync(bytes, { maxOutputLength: MAX_TRACE_BYTES }).toString());
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
      return withoutSummary(
        isTooLarge ? `It is longer than ${formatBytes(MAX_TRACE_BYTES)}.` : "It is not JSON compressed by gzip.",
      );
    }
    const events = parseTrace(trace);
    if (events === null) return withoutSummary("It is not in the Chrome trace format.");
    const summary = summarizeProfile(events);
    return summary === null ? withoutSummary("It contains no calls.") : { summary, problem: null };
  },

  /** Returns a zip archive of files, in base64. */
  zip: async (files: Record<string, Uint8Array>): Promise<string> => {
    const { zipSync } = await import("fflate");
    return Buffer.from(zipSync(files, { level: 1 })).toString("base64");
  },
};

interface Similarities {
  /** Similarities from 0 to 1, in the order of the sources. */
  values: number[];
  diff: SourceDiff;
}

function withoutSummary(problem: string): TraceReading {
  return { summary: null, problem };
}

function tokens({ source, fileName }: NamedSource): string[] {
  return tokensOf(source, languageOf(fileName) ?? "py");
}

export type TaskName = keyof typeof TASKS;
export type TaskInput<Name extends TaskName> = Parameters<(typeof TASKS)[Name]>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<(typeof TASKS)[Name]>>;
/** Message to a thread. */
export interface Task {
  name: TaskName;
  input: unknown;
}
