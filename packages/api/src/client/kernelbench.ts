/** Client of /api/v1/kernelbench. */
import {
  baselineText,
  KernelBenchEntryProgress,
  type BaselineChoice,
  type BaselineUpload,
  type KernelBenchEntryRequest,
  type Level,
  type SuiteKey,
  type SuiteUpload,
} from "@kernelbot/core";
import type { z } from "zod";
import { api } from "../api.ts";
import { LARGE_BODY_TIMEOUT_MS, type CallOptions, type Connection, type EventsOptions } from "./connection.ts";

export interface KernelBenchEntryQuery {
  suite?: string | undefined;
  target?: string | undefined;
  /** Only the caller's own entries, including drafts. */
  mine?: boolean | undefined;
}

export interface SuiteProblemQuery {
  target?: string | undefined;
  baseline?: BaselineChoice | undefined;
}

const { kernelbench } = api;

/** Creates the KernelBench part of the client. */
export function kernelbenchClient({ followEvents, request }: Connection) {
  /** Yields the progress of an entry whenever it changes, until it is finished. */
  async function* progress(id: number, options: EventsOptions = {}): AsyncGenerator<KernelBenchEntryProgress, void> {
    for await (const { data } of followEvents(kernelbench.events, { params: { id } }, options)) {
      const now = KernelBenchEntryProgress.parse(JSON.parse(data));
      yield now;
      if (now.finished) return;
    }
  }

  return {
    suites: async () => (await request(kernelbench.suites, {})).suites,
    /** Returns a suite, in its newest version by default. */
    suite: (suite: string, version?: string) => request(kernelbench.suite, { params: { suite }, query: { version } }),
    /** Creates a suite, or a new version if something changed. For organisers. */
    putSuite: (body: z.input<typeof SuiteUpload>) => request(kernelbench.putSuite, { body }),
    /** Validates the text of a submission file; stores nothing. */
    validate: (suite: string, file: string) => request(kernelbench.validate, { query: { suite }, body: file }),
    /** Creates an entry. Requests with the same idempotency key create one entry; the default is a random key. */
    createEntry: (
      body: z.input<typeof KernelBenchEntryRequest>,
      { idempotencyKey }: Pick<CallOptions, "idempotencyKey"> = {},
    ) => request(kernelbench.createEntry, { body }, { idempotencyKey }),
    /** Lists published entries and the caller's own, best first. */
    entries: async ({ mine, ...query }: KernelBenchEntryQuery = {}) =>
      (await request(kernelbench.entries, { query: { ...query, mine: mine ? "true" : undefined } })).entries,
    /** Returns an entry, scored against the eager model of the same session by default. */
    entry: (id: number, baseline?: BaselineChoice) =>
      request(kernelbench.entry, { params: { id }, query: against(baseline) }),
    /** Returns the submission file of an entry. */
    entryFile: (id: number) => request(kernelbench.entryFile, { params: { id } }, { timeoutMs: LARGE_BODY_TIMEOUT_MS }),
    progress,
    /** Cancels the kernels that have not ended. */
    stop: (id: number) => request(kernelbench.stop, { params: { id } }),
    /** Queues the kernels that were stopped, not yet requested, or lost. */
    resume: (id: number) => request(kernelbench.resume, { params: { id } }),
    /** Publishes an entry; irreversible. */
    publish: (id: number) => request(kernelbench.publish, { params: { id } }),
    baselines: async () => (await request(kernelbench.baselines, {})).baselines,
    baseline: (baseline: string) => request(kernelbench.baseline, { params: { baseline } }),
    /** Stores a baseline, which cannot be changed afterwards. For organisers. */
    putBaseline: (body: BaselineUpload) => request(kernelbench.putBaseline, { body }),
    /** Returns a problem with the results of each entry. */
    problem: (suite: string, { level, problem }: SuiteKey, { target, baseline }: SuiteProblemQuery = {}) =>
      request(kernelbench.problem, { params: { suite, level, problem }, query: { target, ...against(baseline) } }),
    matrix: (suite: string, target: string, baseline?: BaselineChoice) =>
      request(kernelbench.matrix, { query: { suite, target, ...against(baseline) } }),
    /** Returns the published entries in the format of metadata.json. */
    metadata: (query: Omit<KernelBenchEntryQuery, "mine"> = {}) => request(kernelbench.metadata, { query }),
    results: (id: number, baseline?: BaselineChoice) =>
      request(kernelbench.results, { params: { id }, query: against(baseline) }),
    evalResults: (id: number, level: Level) => request(kernelbench.evalResults, { params: { id, level } }),
  };
}

function against(baseline: BaselineChoice | undefined) {
  return { baseline: baseline && baselineText(baseline) };
}
