/** A stand-in until core has it. */
import { parseProblem, type Problem, type SuiteSource, type SuiteUpload } from "@kernelbot/core";

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
