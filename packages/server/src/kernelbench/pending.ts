/** Stand-ins until core has these two. */
import {
  parseKernelKey,
  parseProblem,
  suiteKeyText,
  type EntryCheck,
  type EntryFault,
  type EntryFile,
  type Problem,
  type Suite,
  type SuiteSource,
  type SuiteUpload,
} from "@kernelbot/core";

export function suiteProblem(upload: SuiteUpload, source: SuiteSource): Problem {
  const task = [
    `description: ${JSON.stringify(source.fileName)}`,
    "tests: [{ seed: 1 }]",
    "benchmarks: [{ seed: 2 }]",
    "ranking_by: last",
    `gpus: ${JSON.stringify(upload.targets)}`,
  ].join("\n");
  return parseProblem(`${upload.name}-l${source.level}-p${source.problem}`, {
    "task.yml": task,
    "reference.py": "def ref_kernel(data): ...\n",
    "model.py": source.source,
    "compiled.py": "# compiled\n",
  });
}

export function checkEntryFile(file: EntryFile, suite: Suite): EntryCheck {
  const known = new Set(suite.problems.map(suiteKeyText));
  const faults = Object.entries(file.kernels).flatMap(([text, source]): EntryFault[] => {
    const key = parseKernelKey(text);
    if (key === null) return [{ key: text, severity: "error", what: "this is no key of a kernel" }];
    if (!known.has(suiteKeyText(key))) return [{ key: text, severity: "error", what: "the suite has no such problem" }];
    if (!source.includes("ModelNew")) return [{ key: text, severity: "error", what: "it has no class ModelNew" }];
    return [];
  });
  return { ok: faults.length === 0, faults, levels: [], kernels: Object.keys(file.kernels).length };
}
