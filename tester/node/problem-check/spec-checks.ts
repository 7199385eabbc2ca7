/** Checks of `task.yml` that need no execution. */
import {
  capacityOf,
  caseLine,
  casesFor,
  deviceOf,
  oldMeanings,
  type Case,
  type Problem,
  type ProblemFinding,
  type ProblemSize,
  type ProblemSpec,
} from "@kernelbot/core";
import { error, note, warning } from "./finding.ts";

/**
 * Number of copies of inputs and outputs on a device: the judge's, the kernel's and the reference's; for outputs also
 * the one collected from the kernel.
 */
const COPIES = { inputs: 3, outputs: 4 } as const;

/** Returns the findings about cases, targets and templates. */
export function specFindings({ spec, files }: Problem): ProblemFinding[] {
  if (spec.harness === "legacy") {
    return [
      note(
        "legacy",
        "task.yml",
        "the problem has a harness of its own, whose inputs and checks cannot be examined",
        null,
      ),
      ...oldMeanings(files["task.yml"] ?? "").map((what) =>
        warning("yaml", "task.yml", what, "It was read as YAML 1.1, as the harness was written for"),
      ),
    ];
  }
  const findings = [...seedFindings(spec), ...cpuFindings(spec)];
  if (Object.keys(spec.templates).length === 0)
    findings.push(error("templates", "task.yml: templates", "no template", "Write one, as `Python: template.py`"));
  if (spec.languages.cpp !== undefined && spec.templates["C++"] === undefined)
    findings.push(
      warning("templates", "task.yml: templates", "C++ is allowed, but has no template", "Add `C++: template.cpp`"),
    );
  if (files["task.py"] === undefined)
    findings.push(
      warning("files", "task.py", "file missing", "Write the types of input and output, which templates import"),
    );
  if (Object.keys(spec.targets).length < 2)
    findings.push(
      warning("targets", "task.yml: targets", "only one target", "Add the devices that the problem is for"),
    );
  return findings;
}

function seedFindings(spec: ProblemSpec): ProblemFinding[] {
  const findings: ProblemFinding[] = [];
  const byLine = new Map<string, Case>();
  for (const target of Object.keys(spec.targets)) {
    const { tests, benchmarks } = casesFor(spec, target);
    for (const one of [...tests, ...benchmarks]) byLine.set(caseLine(one), one);
  }
  const seedless = [...byLine].filter(([, one]) => typeof one["seed"] !== "number");
  if (seedless[0] !== undefined) {
    const what = `${seedless.length} cases have no seed`;
    findings.push(error("cases.seed", `case (${seedless[0][0]})`, what, "Give every case a `seed`"));
  }
  for (const target of Object.keys(spec.targets)) {
    const { tests } = casesFor(spec, target);
    const shapes = tests.map((one) => JSON.stringify({ ...one, seed: null }));
    if (new Set(shapes).size === shapes.length) {
      const todo = "Add a test that differs from another only in its seed, so that a cached output fails";
      findings.push(warning("cases.twins", `tests of ${target}`, "no two tests differ only in the seed", todo));
      break;
    }
  }
  return findings;
}

function cpuFindings(spec: ProblemSpec): ProblemFinding[] {
  const targets = Object.keys(spec.targets);
  if (!targets.some((target) => deviceOf(target) === "cpu")) {
    const todo = "Add the target `cpu` with small cases, so that participants can test without the device";
    return [warning("targets", "task.yml: targets", "no target is a CPU", todo)];
  }
  if (targets.length === 1 || spec.targets["cpu"]?.benchmarks !== undefined) return [];
  const todo = "Give `cpu` its own benchmarks, of at most 10 ms each";
  return [warning("cases.size", "task.yml: targets.cpu", "cpu has the benchmarks of larger devices", todo)];
}

/** Checks that the largest cases of each target fit in its memory. */
export function memoryFindings(sizes: readonly ProblemSize[]): ProblemFinding[] {
  const findings: ProblemFinding[] = [];
  const unknown: string[] = [];
  for (const { target, case: values, inputBytes, outputBytes } of sizes) {
    if (deviceOf(target) === "cpu") continue;
    const capacity = capacityOf(target);
    if (capacity === null) {
      unknown.push(target);
      continue;
    }
    const needed = COPIES.inputs * inputBytes + COPIES.outputs * outputBytes;
    if (needed <= capacity) continue;
    const sizesGB = `${(needed / 1e9).toFixed(1)} of ${(capacity / 1e9).toFixed(0)} GB`;
    findings.push(
      error(
        "memory",
        `${target}: case (${values})`,
        `judge, kernel and reference need ${sizesGB} for inputs and outputs`,
        `Give ${target} its own smaller cases`,
      ),
    );
  }
  if (unknown.length > 0)
    findings.push(
      note(
        "memory",
        unknown.join(", "),
        "the memory of these targets is unknown, so whether the cases fit was not checked",
        null,
      ),
    );
  return findings;
}
