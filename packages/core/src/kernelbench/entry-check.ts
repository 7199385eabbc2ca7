/**
 * Validates submission files, and reports all faults at once.
 *
 *     checkEntryFile('{"metadata": {}, "kernels": {"level_1_problem_01_sample_0": 7}}').check.faults
 */
import { quote } from "../errors.ts";
import {
  BACKENDS,
  KernelBenchEntryMetadata,
  MAX_ENTRY_BYTES,
  type KernelBenchEntryCheck,
  type KernelBenchEntryFault,
  type KernelBenchEntryFile,
} from "./entry.ts";
import { bytesOf, errorFault, isObject, unknownNames, sanitizedFault, warningFault } from "./fault.ts";
import { findJsonFaults } from "./json-faults.ts";
import { checkKernels, type CheckedSuite } from "./kernel-check.ts";
import { LEVELS, type KernelKey } from "./key.ts";

/** Problem keys of KernelBench: 100, 100 and 50 for levels 1 to 3. */
export const KERNELBENCH: CheckedSuite = {
  problems: LEVELS.flatMap((level) =>
    Array.from({ length: level === 3 ? 50 : 100 }, (_, at) => ({ level, problem: at + 1 })),
  ),
};

/** Syntax error at the second line of JSON Lines: a second object after the first. */
const JSON_LINES_FAULT = 'unexpected "{", expected the end';

/** Members of a submission file that are read. */
const MEMBERS = ["metadata", "kernels"];

/** Maximum number of faults listed, errors first. */
export const MAX_FAULTS = 300;

export interface CheckedKernelBenchEntry {
  check: KernelBenchEntryCheck;
  /** Null if any fault is an error. */
  file: KernelBenchEntryFile | null;
}

/**
 * Validates the text of a submission file. Missing kernels, and kernels of problems that are not in the suite, are
 * warnings. A malformed key is an error, because it is likely misspelt.
 */
export function checkEntryFile(text: string, suite: CheckedSuite = KERNELBENCH): CheckedKernelBenchEntry {
  if (text.length > MAX_ENTRY_BYTES || bytesOf(text) > MAX_ENTRY_BYTES) {
    return refused(
      suite,
      `the file is larger than ${MAX_ENTRY_BYTES / 1e6} MB: remove samples, or content other than source code`,
    );
  }
  const { place, repeated } = findJsonFaults(text);
  if (place !== null) {
    const where = `line ${place.line}, column ${place.column}`;
    const isLines = place.column === 1 && place.what === JSON_LINES_FAULT;
    const hint = isLines ? '. This is JSON Lines; write one object: {"metadata": {...}, "kernels": {...}}' : "";
    return refused(suite, `this is not valid JSON: ${where}: ${place.what}${hint}`);
  }
  const faults = repeated
    .filter(([object = "", name]) => name === undefined || MEMBERS.includes(object))
    .map(([object = "", name]) => {
      const key = name === undefined ? object : object === "kernels" ? name : `${object}.${name}`;
      return errorFault(key, "it occurs more than once: keep one of them");
    });
  return checkEntry(JSON.parse(text), suite, faults);
}

/** Validates parsed JSON like `checkEntryFile`; `faults` are the faults found so far. */
export function checkEntry(
  value: unknown,
  suite: CheckedSuite = KERNELBENCH,
  faults: readonly KernelBenchEntryFault[] = [],
): CheckedKernelBenchEntry {
  if (!isObject(value)) return refused(suite, 'the file must be an object: {"metadata": {...}, "kernels": {...}}');
  const metadata = checkMetadata(value.metadata);
  const kernels = checkKernels(value.kernels, suite, metadata.metadata?.backend);
  const unknown = unknownNames(value, MEMBERS).map((name) => warningFault(name, "it is not read"));
  const all = [...faults, ...metadata.faults, ...kernels.faults, ...unknown];
  const check = summary(all, kernels.keys, suite);
  if (!check.ok || metadata.metadata === null) return { check, file: null };
  return { check, file: { metadata: metadata.metadata, kernels: kernels.kernels } };
}

function refused(suite: CheckedSuite, what: string): CheckedKernelBenchEntry {
  return { check: summary([errorFault(null, what)], [], suite), file: null };
}

function checkMetadata(value: unknown): { metadata: KernelBenchEntryMetadata | null; faults: KernelBenchEntryFault[] } {
  if (!isObject(value)) {
    const what = 'it must be an object that names the model: {"display_name": "..."}';
    return { metadata: null, faults: [errorFault("metadata", value === undefined ? `it is missing: ${what}` : what)] };
  }
  const parsed = KernelBenchEntryMetadata.safeParse(value);
  const faults = unknownNames(value, Object.keys(KernelBenchEntryMetadata.shape)).map((name) =>
    warningFault(`metadata.${name}`, "it is not read"),
  );
  if (parsed.success) {
    if (parsed.data.organization === "")
      faults.push(warningFault("metadata.organization", "the organization is missing"));
    return { metadata: parsed.data, faults };
  }
  for (const { path, message } of parsed.error.issues) {
    const name = String(path[0]);
    faults.push(errorFault(`metadata.${name}`, metadataFault(name, value[name], message)));
  }
  return { metadata: null, faults };
}

function metadataFault(name: string, value: unknown, message: string): string {
  if (value === undefined) return "it is missing: name the model";
  if (typeof value !== "string") return "it must be a string";
  return name === "backend" ? `${quote(value)} is not a valid backend: use one of ${BACKENDS.join(", ")}` : message;
}

function summary(
  all: readonly KernelBenchEntryFault[],
  keys: readonly KernelKey[],
  suite: CheckedSuite,
): KernelBenchEntryCheck {
  const errors = all.filter(({ severity }) => severity === "error");
  const faults = [...errors, ...all.filter(({ severity }) => severity === "warning")];
  const rest = faults.splice(MAX_FAULTS);
  if (rest.length > 0) {
    const more = rest.filter(({ severity }) => severity === "error").length;
    const what = `${more} more errors and ${rest.length - more} more warnings are not listed`;
    faults.push({ key: null, severity: more > 0 ? "error" : "warning", what });
  }
  const levels = LEVELS.map((level) => ({
    level,
    submitted: keys.filter((key) => key.level === level && key.sample === 0).length,
    problems: suite.problems.filter((key) => key.level === level).length,
  })).filter(({ problems }) => problems > 0);
  return { ok: errors.length === 0, faults: faults.map(sanitizedFault), levels, kernels: keys.length };
}
