/** Client of /api/v1/kernelbench. */
import type { z } from "zod";
import { IDEMPOTENT, jsonRequest, LARGE_BODY, queryString, type Connection, type EventsOptions } from "./connection.ts";
import {
  baselineText,
  BaselineList,
  KernelBenchEntryList,
  KernelBenchEntryProgress,
  SuiteResultMatrix,
  SuiteList,
  SuiteProblemResults,
} from "../kernelbench/api.ts";
import {
  KernelBenchEntry,
  KernelBenchEntryCheck,
  KernelBenchEntryFile,
  KernelBenchEntrySummary,
  type KernelBenchEntryRequest,
} from "../kernelbench/entry.ts";
import type { Level, SuiteKey } from "../kernelbench/key.ts";
import { EvalResults, MetadataEntry, ResultsDocument } from "../kernelbench/documents.ts";
import type { BaselineChoice } from "../kernelbench/score.ts";
import { StoredBaseline, type BaselineUpload } from "../kernelbench/stored-baseline.ts";
import { Suite, type SuiteUpload } from "../kernelbench/suite.ts";

const AT = "/kernelbench";
const JSON_BODY = { "content-type": "application/json" };

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

/** Creates the KernelBench part of the client. */
export function kernelbenchClient({ followEvents, requestJson }: Connection) {
  const entryAt = (id: number, more = "") => `${AT}/entries/${id}${more}`;

  /** Yields the progress of an entry whenever it changes, until it is finished. */
  async function* progress(id: number, options: EventsOptions = {}): AsyncGenerator<KernelBenchEntryProgress, void> {
    for await (const { data } of followEvents(entryAt(id, "/events"), options)) {
      const now = KernelBenchEntryProgress.parse(JSON.parse(data));
      yield now;
      if (now.finished) return;
    }
  }

  return {
    suites: async () => (await requestJson(SuiteList, `${AT}/suites`)).suites,
    /** Returns a suite, in its newest version by default. */
    suite: (name: string, version?: string) =>
      requestJson(Suite, `${AT}/suites/${encodeURIComponent(name)}${queryString({ version })}`),
    /** Creates a suite, or a new version if something changed. For organisers. */
    putSuite: (upload: z.input<typeof SuiteUpload>) =>
      requestJson(Suite, `${AT}/suites`, jsonRequest(upload), { ...IDEMPOTENT, ...LARGE_BODY }),
    /** Validates the text of a submission file; stores nothing. */
    validate: (suite: string, file: string) =>
      requestJson(
        KernelBenchEntryCheck,
        `${AT}/validate${queryString({ suite })}`,
        { method: "POST", headers: JSON_BODY, body: file },
        { ...IDEMPOTENT, ...LARGE_BODY },
      ),
    /** Creates an entry. Requests with the same idempotency key create one entry; the default is a random key. */
    createEntry: (
      request: z.input<typeof KernelBenchEntryRequest>,
      options: { idempotencyKey?: string | undefined } = {},
    ) => {
      const headers = { ...JSON_BODY, "idempotency-key": options.idempotencyKey ?? crypto.randomUUID() };
      return requestJson(
        KernelBenchEntrySummary,
        `${AT}/entries`,
        { method: "POST", headers, body: JSON.stringify(request) },
        LARGE_BODY,
      );
    },
    /** Lists published entries and the caller's own, best first. */
    entries: async (asked: KernelBenchEntryQuery = {}) =>
      (await requestJson(KernelBenchEntryList, `${AT}/entries${queryString({ ...asked })}`)).entries,
    /** Returns an entry, scored against the eager model of the same session by default. */
    entry: (id: number, baseline?: BaselineChoice) => requestJson(KernelBenchEntry, entryAt(id, against(baseline))),
    /** Returns the submission file of an entry. */
    entryFile: (id: number) => requestJson(KernelBenchEntryFile, entryAt(id, "/file"), undefined, LARGE_BODY),
    progress,
    /** Cancels the kernels that have not ended. */
    stop: (id: number) => requestJson(KernelBenchEntrySummary, entryAt(id, "/stop"), { method: "POST" }, IDEMPOTENT),
    /** Queues the kernels that were stopped, not yet requested, or lost. */
    resume: (id: number) =>
      requestJson(KernelBenchEntrySummary, entryAt(id, "/resume"), { method: "POST" }, IDEMPOTENT),
    /** Publishes an entry; irreversible. */
    publish: (id: number) =>
      requestJson(KernelBenchEntrySummary, entryAt(id, "/publish"), { method: "POST" }, IDEMPOTENT),
    baselines: async () => (await requestJson(BaselineList, `${AT}/baselines`)).baselines,
    baseline: (id: string) => requestJson(StoredBaseline, `${AT}/baselines/${encodeURIComponent(id)}`),
    /** Stores a baseline, which cannot be changed afterwards. For organisers. */
    putBaseline: (upload: BaselineUpload) => requestJson(StoredBaseline, `${AT}/baselines`, jsonRequest(upload)),
    /** Returns a problem with the results of each entry. */
    problem: (suite: string, { level, problem }: SuiteKey, { target, baseline }: SuiteProblemQuery = {}) => {
      const asked = queryString({ target, baseline: baseline && baselineText(baseline) });
      return requestJson(
        SuiteProblemResults,
        `${AT}/problems/${encodeURIComponent(suite)}/${level}/${problem}${asked}`,
      );
    },
    matrix: (suite: string, target: string, baseline?: BaselineChoice) =>
      requestJson(
        SuiteResultMatrix,
        `${AT}/matrix${queryString({ suite, target, baseline: baseline && baselineText(baseline) })}`,
      ),
    /** Returns the published entries in the format of metadata.json. */
    metadata: (asked: Omit<KernelBenchEntryQuery, "mine"> = {}) =>
      requestJson(MetadataEntry.array(), `${AT}/metadata${queryString({ ...asked })}`),
    results: (id: number, baseline?: BaselineChoice) =>
      requestJson(ResultsDocument, entryAt(id, `/results${against(baseline)}`)),
    evalResults: (id: number, level: Level) => requestJson(EvalResults, entryAt(id, `/eval-results/${level}`)),
  };
}

function against(baseline: BaselineChoice | undefined): string {
  return queryString({ baseline: baseline && baselineText(baseline) });
}
