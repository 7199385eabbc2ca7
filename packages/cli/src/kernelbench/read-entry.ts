/** Reads an entry with everything that its metrics are computed from, from the server or from saved documents. */
import type { Client } from "@kernelbot/api";
import {
  KernelBenchEntry,
  kernelKeyText,
  requireSameHardware,
  Suite,
  suiteKeyText,
  type BaselineChoice,
  type BaselineTime,
} from "@kernelbot/core";
import { z } from "zod";
import { UsageError } from "../command/exit.ts";
import { entryId } from "./id.ts";
import { parsedJson, readBounded } from "./files.ts";

/** Maximum size of an entry's document in bytes: a thousand samples, each with a long message. */
const MAX_DOCUMENT_BYTES = 64_000_000;

interface WholeEntry {
  entry: KernelBenchEntry;
  suite: Suite;
  /** Times of the selected stored baseline; empty for another baseline. */
  stored: readonly BaselineTime[];
}

/** Sources of an entry: its number or a file, and a file of the suite, undefined to read the server's. */
export interface Named {
  entry: string;
  suiteFile: string | undefined;
  baseline: BaselineChoice;
}

/**
 * Reads an entry, its suite and its baseline.
 * @param client called only for parts that no file has
 */
export async function readWholeEntry(client: () => Promise<Client>, named: Named): Promise<WholeEntry> {
  const { entry: text, suiteFile, baseline } = named;
  const entry = /^\d+$/.test(text)
    ? await (await client()).kernelbench.entry(entryId(text))
    : await readDocument(text, KernelBenchEntry, "an entry, the output of kernelbot kernelbench show ID --json");
  refuseDuplicates(text, entry.results.map(kernelKeyText));
  const suite =
    suiteFile === undefined
      ? await (await client()).kernelbench.suite(entry.suite, entry.suiteVersion)
      : await readSuiteFile(suiteFile);
  if (suite.version !== entry.suiteVersion) {
    throw new UsageError(
      `the entry is for version ${entry.suiteVersion.slice(0, 12)} of ${entry.suite}, not ${suite.version.slice(0, 12)}`,
    );
  }
  if (baseline.kind !== "stored") return { entry, suite, stored: [] };
  const stored = await (await client()).kernelbench.baseline(baseline.id);
  requireSameHardware(stored, entry.score.hardware);
  return { entry, suite, stored: stored.times };
}

/** Rejects a document with two results of one key, since which one counts is ambiguous. @throws UsageError */
function refuseDuplicates(path: string, keys: readonly string[]): void {
  const twice = keys.find((key, at) => keys.indexOf(key) < at);
  if (twice === undefined) return;
  throw new UsageError(`${JSON.stringify(path)} has several results with the key ${twice}; remove all but one`);
}

/** Reads a suite's document. @throws UsageError when it is not a suite, or has a problem twice. */
export async function readSuiteFile(path: string): Promise<Suite> {
  const suite = await readDocument(path, Suite, "a suite, the output of kernelbot kernelbench suite show NAME --json");
  refuseDuplicates(path, suite.problems.map(suiteKeyText));
  return suite;
}

async function readDocument<Shape extends z.ZodType>(path: string, shape: Shape, what: string) {
  const parsed = shape.safeParse(parsedJson(await readBounded(path, MAX_DOCUMENT_BYTES)));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${JSON.stringify(path)} is not ${what}`, { cause: parsed.error });
}
