/** Tests of an exported kernel: the problem's reference and cases, and a program that compares the kernel with them. */
import { casesFor, type Problem } from "@kernelbot/core";
import { referenceModules } from "@kernelbot/cli/src/kernel-export/reference-modules.ts";

/** How the tests obtain the kernel, as Python code that defines the module `kernel`. */
export interface KernelUnderTest {
  load: string;
  functionName: string;
  /** Whether the function takes the values of the input one by one, rather than the input. */
  takesValues: boolean;
  /** Device of the inputs, as PyTorch names it. */
  device: string;
}

/** Returns the files below `tests/`. */
export function testFiles(problem: Problem, target: string, kernel: KernelUnderTest): Map<string, string> {
  const { spec } = problem;
  const cases = {
    cases: casesFor(spec, target).tests,
    outputs: spec.outputs,
    tolerance: spec.tolerance === null ? null : { rtol: spec.tolerance.rtol, atol: spec.tolerance.atol },
  };
  return new Map([
    ["tests/test_kernel.py", program(kernel)],
    ["tests/cases.json", `${JSON.stringify(cases, null, 2)}\n`],
    ...[...referenceModules(problem)].map(([path, text]) => [`tests/problem/${path}`, text] as const),
  ]);
}

function program({ load, functionName, takesValues, device }: KernelUnderTest): string {
  return `"""Compares the kernel with the problem's reference on each of the problem's test cases, by the problem's own rule.

    python tests/test_kernel.py

KERNELBOT_DEVICE names the device, ${device} by default. Needs PyTorch and the standard library.
"""

import importlib.util
import json
import os
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
os.environ.setdefault("KERNELBOT_DEVICE", "${device}")
sys.path.insert(0, str(FOLDER / "problem"))

import torch  # noqa: E402

import reference  # noqa: E402

${load.trim()}

PROBLEM = json.loads((FOLDER / "cases.json").read_text())
OUTPUTS = PROBLEM["outputs"]


class Cases(unittest.TestCase):
    def test_cases(self):
        for case in PROBLEM["cases"]:
            with self.subTest(case=case):
                data = reference.generate_input(**case)
                for buffer in tensors(data)[-OUTPUTS:]:
                    spoil(buffer)
                result = kernel.${functionName}(${takesValues ? "*data" : "data"})
                got = list(result) if isinstance(result, tuple) else [result]
                self.assertIsNone(difference(case, got))


def difference(case, got):
    """Returns what is wrong with the outputs for a case, or None."""
    data = reference.generate_input(**case)
    check = getattr(reference, "check_implementation", None)
    if check is not None:
        verdict = check(data, got[0] if len(got) == 1 else tuple(got))
        right, message = verdict if isinstance(verdict, tuple) else (not verdict, verdict)
        return None if right else message or "the output is incorrect"
    buffers = tensors(data)[-OUTPUTS:]
    result = reference.ref_kernel(data)
    expected = buffers if result is None else list(result) if isinstance(result, (tuple, list)) else [result]
    rtol, atol = PROBLEM["tolerance"]["rtol"], PROBLEM["tolerance"]["atol"]
    oracles = None
    for place, (one, other) in enumerate(zip(got, expected)):
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            return f"output {place} is {one.dtype} {tuple(one.shape)}, not {other.dtype} {tuple(other.shape)}"
        wrong = differing(one, other, rtol, atol)
        if wrong == 0:
            continue
        if oracles is None and hasattr(reference, "oracle"):
            oracles = reference.oracle(reference.generate_input(**case))
            oracles = list(oracles) if isinstance(oracles, (tuple, list)) else None if oracles is None else [oracles]
        if oracles is None or not as_near(one, other, oracles[place].to(other.device), rtol, atol):
            return f"output {place}: {wrong} of {one.numel()} elements differ"
    return None


def differing(one, other, rtol, atol):
    """Returns the number of elements outside of the tolerance: |one - other| <= atol + rtol * |other|."""
    if not (one.is_floating_point() or one.is_complex()):
        return int((one != other).sum())
    if one.is_floating_point() and one.element_size() < 4:
        one, other = one.float(), other.float()
    return int((~torch.isclose(one, other, rtol=rtol, atol=atol, equal_nan=True)).sum())


def as_near(got, expected, oracle, rtol, atol):
    """Whether the output's error relative to the float64 result is at most twice the error of the reference."""
    if not got.is_floating_point():
        return False
    one, other, truth = (tensor.double() for tensor in (got, expected, oracle))
    finite = one.isfinite() & other.isfinite() & truth.isfinite()
    if differing(one[~finite], other[~finite], rtol, atol) > 0:
        return False
    tolerated = atol + rtol * truth[finite].abs()
    if not finite.any() or not (tolerated > 0).all():
        return False
    errors, allowed = ((tensor[finite] - truth[finite]).abs() / tolerated for tensor in (one, other))
    rms = [each.square().mean().sqrt() for each in (errors, allowed)]
    return bool(errors.max() <= 2 * allowed.max()) and bool(rms[0] <= 2 * rms[1])


def spoil(buffer):
    """Fills an output buffer, so that a kernel that does not write it fails."""
    if buffer.dtype != torch.bool and buffer.is_contiguous() and buffer.dim() > 0:
        buffer.view(torch.uint8).fill_(255)
    else:
        buffer.fill_(1)


def tensors(value):
    """Returns the tensors of an input in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [tensor for item in inner for tensor in tensors(item)]


if __name__ == "__main__":
    unittest.main()
`;
}
