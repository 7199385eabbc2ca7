/** Checks of `task.yml` that need no execution. */
import {
  capacityOf,
  caseLine,
  casesFor,
  deviceOf,
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
        "it has a harness of its own, whose inputs and checks cannot be looked at from outside",
        null,
      ),
    ];
  }
  const findings = [...seedFindings(spec), ...cpuFindings(spec)];
  if (Object.keys(spec.templates).length === 0)
    findings.push(
      error("templates", "task.yml: templates", "there is no starter", "Write one, as `Python: template.py`"),
    );
  if (spec.languages.cpp !== undefined && spec.templates["C++"] === undefined)
    findings.push(
      warning("templates", "task.yml: templates", "C++ is taken, and has no starter", "Add `C++: template.cpp`"),
    );
  if (files["task.py"] === undefined)
    findings.push(
      warning("files", "task.py", "it is missing", "Write the types of input and output, which starters import"),
    );
  if (Object.keys(spec.targets).length < 2)
    findings.push(
      warning("targets", "task.yml: targets", "there is one target alone", "Name the devices that it is meant for"),
    );
  return findings;
}

function seedFindings(spec: ProblemSpec): ProblemFinding[] {
  const findings: ProblemFinding[] = [];
  const all = new Map<string, Case>();
  for (const target of Object.keys(spec.targets)) {
    const { tests, benchmarks } = casesFor(spec, target);
    for (const one of [...tests, ...benchmarks]) all.set(caseLine(one), one);
  }
  const without = [...all].filter(([, one]) => typeof one["seed"] !== "number");
  if (without[0] !== undefined)
    findings.push(
      error(
        "cases.seed",
        `case (${without[0][0]})`,
        `${without.length} cases have no seed`,
        "Give every case a `seed`",
      ),
    );
  for (const target of Object.keys(spec.targets)) {
    const { tests } = casesFor(spec, target);
    const shapes = tests.map((one) => JSON.stringify({ ...one, seed: null }));
    if (new Set(shapes).size === shapes.length) {
      const todo = "Add a test that differs from another in its seed alone, so that a kept answer is seen to be wrong";
      findings.push(warning("cases.twins", `tests of ${target}`, "no two tests differ in the seed alone", todo));
      break;
    }
  }
  return findings;
}

function cpuFindings(spec: ProblemSpec): ProblemFinding[] {
  const targets = Object.keys(spec.targets);
  if (!targets.some((target) => deviceOf(target) === "cpu")) {
    const todo = "Add the target `cpu` with small cases, so that it can be tried everywhere";
    return [warning("targets", "task.yml: targets", "no target is a processor", todo)];
  }
  if (targets.length === 1 || spec.targets["cpu"]?.benchmarks !== undefined) return [];
  const todo = "Give `cpu` benchmarks of its own, of at most 10 ms each";
  return [warning("cases.size", "task.yml: targets.cpu", "it has the benchmarks of larger devices", todo)];
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
        `judge, kernel and reference need ${sizesGB} for inputs and outputs alone`,
        `Give ${target} smaller cases of its own`,
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
