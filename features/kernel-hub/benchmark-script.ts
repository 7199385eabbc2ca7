/** Script for the program `kernels benchmark`: times an exported kernel on the benchmark cases of its problem. */
import { casesFor, type Problem, type ProblemSpec } from "@kernelbot/core";
import { sourcesImporter } from "@kernelbot/cli/src/kernel-export/sources-importer.ts";
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
  const isVerified = isVerifiable(problem);
  const data = takesValues ? "*self.data" : "self.data";
  const methods = casesFor(problem.spec, target).benchmarks.map((_, index) => {
    const input = `problem(self.device).generate_input(**CASES[${index}])`;
    // The program reports the time of verify as that of the reference, so it must not include making the inputs.
    const setup = isVerified ? `\n        self.reference_data = ${input}` : "";
    const verify = `
    def verify_case${index}(self):
        return problem(self.device).ref_kernel(self.reference_data)
`;
    return `
    def setup_case${index}(self):
        self.data = ${input}${setup}

    def benchmark_case${index}(self):
        self.out = self.kernel.${functionName}(${data})
${isVerified ? verify : ""}`;
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
