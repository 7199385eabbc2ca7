/**
 * Parses problem directories. `docs/reference/problem-files.md` describes the format for authors.
 *
 *     const problem = parseProblem("vectoradd", { "task.yml": "...", "reference.py": "..." });
 *     casesFor(problem, "cpu").benchmarks   // the timed cases of target cpu
 */
import { canonicalJson } from "../text/canonical-json.ts";
import { sha256 } from "../text/digest.ts";
import { quote } from "../errors.ts";
import { ProblemFaults } from "./error.ts";
import { HIDDEN_CASES_FILE, parseHiddenCases } from "./hidden-cases.ts";
import { languagesOf } from "./languages.ts";
import { legacyHarness, withCountedBenchmarks } from "./legacy-harness.ts";
import { rankingFaults } from "./ranking.ts";
import { withWorldSize } from "./ranks.ts";
import type { Problem, ProblemFiles, ProblemSpec } from "../vocabulary/specification.ts";
import { parseTaskFile } from "./task-file.ts";

/** Matches where \`reference.py\` binds the name \`cost\` in its module. */
const DEFINES_COST = /^(?:def\s+cost\s*\(|cost\s*=|from[ \t]+\S+[ \t]+import\b.*\bcost\b)/m;

/**
 * Parses the files of a problem directory.
 * @param sources Files from which templates are read, by the paths in `task.yml`.
 * @throws KernelBotError `unprocessable`, with the problem and, for each fault, the key and the expected value.
 */
export function parseProblem(name: string, files: ProblemFiles, sources: ProblemFiles = files): Problem {
  const task = parseTaskFile(name, files["task.yml"]);
  const legacy = legacyHarness(name, task);
  const faults = new ProblemFaults(name);
  if (legacy === null && files["reference.py"] === undefined) faults.add("reference.py is missing");
  for (const [one, other] of sameNames(Object.keys(files)))
    faults.add(`the names ${quote(one)} and ${quote(other)} are the same on other file systems: rename one`);
  const targets: ProblemSpec["targets"] = Object.fromEntries([
    ...task.gpus.map((target) => [target, {}] as const),
    ...Object.entries(task.targets).map(([target, own]) => {
      const { speed_of_light_us: boundsUs, ...spec } = own ?? {};
      return [target, boundsUs === undefined ? spec : { ...spec, boundsNs: boundsUs.map((us) => us * 1e3) }] as const;
    }),
  ]);
  if (Object.keys(targets).length === 0) {
    faults.add(
      "task.yml: targets: name at least one target, such as H100: with gpus: [H100] in task.yml, or with gpus in the " +
        "entry of the directory in the competition file at the root of the problems, or with --target H100 of kernelbot",
    );
  }
  if (task.regime === "sustained" && (legacy !== null || task.multi_gpu || task.stop === "paper")) {
    const other = legacy !== null ? "a harness of the problem's own" : task.multi_gpu ? "multi_gpu" : "stop: paper";
    faults.add(`task.yml: regime: sustained cannot be combined with ${other}`);
  }
  const hidden = files[HIDDEN_CASES_FILE];
  if (hidden !== undefined && task.application === undefined)
    faults.add(`${HIDDEN_CASES_FILE}: task.yml has no key "application"`);
  const hiddenCases = hidden === undefined ? undefined : parseHiddenCases(name, hidden);
  if (task.application !== undefined) {
    if (task.application.cases.length + (hiddenCases?.length ?? 0) > 100)
      faults.add("task.yml: application: at most 100 cases are allowed, hidden ones included");
    if (files["application.py"] === undefined) faults.add("task.yml: application: the file application.py is missing");
    if (legacy !== null || task.multi_gpu)
      faults.add(
        `task.yml: application cannot be combined with ${legacy === null ? "multi_gpu" : "a harness of the problem's own"}`,
      );
  }
  for (const fault of rankingFaults(task, {
    isLegacy: legacy !== null,
    hasCost: DEFINES_COST.test(files["reference.py"] ?? ""),
  }))
    faults.add(`task.yml: ${fault}`);
  const templates: Record<string, string> = {};
  for (const [language, path] of Object.entries(task.templates)) {
    const source = sources[path];
    if (source === undefined) faults.add(`task.yml: templates.${language}: the file ${quote(path)} does not exist`);
    else templates[language] = source;
  }
  faults.throwIfAny();
  const spec: ProblemSpec = {
    name,
    description: task.description,
    ...(task.tags === undefined ? {} : { tags: task.tags }),
    ...(task.difficulty === undefined ? {} : { difficulty: task.difficulty }),
    lang: task.lang,
    languages: languagesOf(name, task, files, legacy),
    templates,
    tests: task.tests,
    benchmarks: task.benchmarks,
    targets,
    outputs: task.outputs,
    tolerance: task.tolerance ?? null,
    ...(task.lower_precision === undefined ? {} : { lowerPrecision: task.lower_precision }),
    ...(task.input_structure === undefined ? {} : { inputStructure: task.input_structure }),
    ...(task.application === undefined
      ? {}
      : {
          application: {
            cases: task.application.cases,
            ...(task.application.at_benchmarks !== undefined && { atBenchmarks: task.application.at_benchmarks }),
            ...(hiddenCases !== undefined && { hiddenCases }),
            rtol: task.application.rtol,
            timeoutS: task.application.timeout,
            gate: task.application.gate,
            checkFirst: task.application.check_first,
            secondsPerDay: task.application.seconds_per_day,
          },
        }),
    rankingBy: task.ranking_by,
    ...(task.weights === undefined ? {} : { weights: task.weights }),
    stop: task.stop,
    regime: task.regime,
    timeoutsS: {
      prepare: task.prepare_timeout,
      test: task.test_timeout,
      benchmark: task.benchmark_timeout,
      ranked: task.ranked_timeout,
      profile: task.profile_timeout ?? task.benchmark_timeout,
    },
    harness: legacy === null ? "judge" : "legacy",
    main: legacy?.main ?? null,
    ...(legacy?.build != null && { build: legacy.build }),
    submissionName: legacy?.submissionName ?? "submission.py",
  };
  const counted = legacy === null ? spec : withCountedBenchmarks(spec);
  return { spec: task.multi_gpu ? withWorldSize(counted) : counted, files };
}

/**
 * Returns the immutable version of a problem: SHA-256 of its canonical JSON (parsed parameters and files), in
 * hexadecimal. Equal content has the same version on every machine; the order of keys has no effect.
 */
export async function problemVersion(problem: Problem): Promise<string> {
  return sha256(canonicalJson(problem));
}

/** Returns the pairs of names that Windows or macOS store as one: they differ only in case, or in how accents are encoded. */
function sameNames(names: readonly string[]): [string, string][] {
  const stored = (name: string) => name.normalize("NFC").toLowerCase();
  return names.flatMap((name, index) => {
    const earlier = names.slice(0, index).find((other) => stored(other) === stored(name));
    return earlier === undefined ? [] : [[earlier, name] as [string, string]];
  });
}
