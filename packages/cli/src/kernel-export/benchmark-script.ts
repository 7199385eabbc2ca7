/** Script for the program `kernels benchmark`: times an exported kernel on the benchmark cases of its problem. */
import { casesFor, type Problem, type ProblemSpec } from "@kernelbot/core";
import { sourcesImporter } from "./sources-importer.ts";
import type { KernelUnderTest } from "./tests.ts";

/** Tolerance with which `kernels benchmark` compares; a stricter problem can be verified by it, a laxer one cannot. */
const TOLERANCE = { rtol: 1e-5, atol: 1e-2 };

/**
 * Returns the script. It contains the problem's files, since `kernels benchmark` imports it without its neighbours. The
 * cases keep their public seeds; only the judge has others.
 */
export function benchmarkScript(
  problem: Problem,
  target: string,
  { functionName, takesValues }: Pick<KernelUnderTest, "functionName" | "takesValues">,
): string {
  const methods = casesFor(problem.spec, target).benchmarks.map((values, index) => {
    const data = takesValues ? "*self.data" : "self.data";
    const verify = `
    def verify_case${index}(self):
        return expected(self.device, CASES[${index}])
`;
    return `
    def setup_case${index}(self):
        self.data = problem(self.device).generate_input(**CASES[${index}])

    def benchmark_case${index}(self):
        self.out = self.kernel.${functionName}(${data})
${isVerifiable(problem) ? verify : ""}`;
  });
  return `"""Times the kernel on the benchmark cases of the problem: kernels benchmark FOLDER

The method is that of the program, not that of the judge whose figures the card has: their times cannot be compared.
"""

import importlib.abc
import importlib.util
import json
import os
import sys

from kernels.benchmark import Benchmark

CASES = json.loads(${JSON.stringify(JSON.stringify(casesFor(problem.spec, target).benchmarks))})

${sourcesImporter(problem)}

sys.meta_path.insert(0, Sources())


def problem(device):
    """Returns the reference of the problem, whose inputs are on the device."""
    os.environ["KERNELBOT_DEVICE"] = str(device)
    import reference

    return reference

${
  isVerifiable(problem)
    ? `
def expected(device, case):
    """Returns the output of the reference for a case."""
    reference = problem(device)
    return reference.ref_kernel(reference.generate_input(**case))

`
    : ""
}
class Cases(Benchmark):
    seed = 1
${methods.join("")}`;
}

/** Returns whether an output that the judge accepts also passes the comparison of `kernels benchmark`. */
function isVerifiable({ spec, files }: Problem): boolean {
  const isOwnCheck = /^def check_implementation\b/m.test(files["reference.py"] ?? "");
  return !isOwnCheck && spec.outputs === 1 && isStrict(spec.tolerance);
}

function isStrict(tolerance: ProblemSpec["tolerance"]): boolean {
  return tolerance !== null && tolerance.rtol <= TOLERANCE.rtol && tolerance.atol <= TOLERANCE.atol;
}
