"""A plain measurement without a judge: kernel and reference timed in one process, by its own clock.

    python3 in_process.py PROBLEM_DIR SUBMISSION < plan.json

Reads a `Plan`. Prints {"by", "cases": [{"kernelNs", "referenceNs"}], "wallS"}; `by` names the method, and the wall time
excludes the start of Python and the imports. On an accelerator, Triton's do_bench measures one mean for each case, or
without Triton a loop of the same design.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import secrets
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, TypedDict

import torch

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from ..messages import Case, ProblemSpecTolerance

#: PyTorch's device for the problem's tensors.
DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
#: As in do_bench: bytes written before each call, to evict inputs from the caches, and number of calls from which the
#: number that fits is estimated.
WRITTEN_BYTES, ESTIMATE_CALLS = 256 << 20, 5


class PlannedCase(TypedDict):
    """A case, and how often kernel and reference are called."""

    case: Case
    kernelCalls: int
    referenceCalls: int


class Plan(TypedDict):
    """What is measured."""

    cases: list[PlannedCase]
    warmUps: int
    #: Whether every call of the kernel has new inputs and its output is checked against the reference. Otherwise the
    #: calls of a case share one input, and the reference is timed after the kernel.
    fresh: bool
    threads: int
    tolerance: ProblemSpecTolerance | None
    #: On an accelerator: time for all cases.
    seconds: NotRequired[float]


def load(name: str, path: str) -> Any:
    """Imports the module in the file at `path`."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def timed(function: Callable[[Any], Any], data: Any) -> tuple[int, Any]:
    """Returns the nanoseconds of one call, and its result."""
    started = time.perf_counter_ns()
    result = function(data)
    wait()
    return time.perf_counter_ns() - started, result


def wait() -> None:
    """Waits until the device is done. Returns at once on a processor."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def run_plain(case: Case, kernel_calls: int, reference_calls: int, warm_ups: int) -> dict[str, list[int]]:
    """Times the kernel in a loop over one input, then the reference."""
    data = reference.generate_input(**case)
    samples: dict[str, list[int]] = {}
    for name, function, calls in (
        ("kernelNs", kernel, kernel_calls),
        ("referenceNs", reference.ref_kernel, reference_calls),
    ):
        for _ in range(warm_ups):
            function(data)
        samples[name] = [timed(function, data)[0] for _ in range(calls)]
    return samples


def run_for(
    case: Case, seconds: float, measure: Callable[[Callable[[], Any], float], float]
) -> dict[str, list[int]]:
    """Returns the means of kernel and reference, each measured for half of the time."""
    data = reference.generate_input(**case)
    return {
        name: [round(measure(lambda: function(data), seconds / 2))]
        for name, function in (("kernelNs", kernel), ("referenceNs", reference.ref_kernel))
    }


def by_triton(call: Callable[[], Any], seconds: float) -> float:
    """Returns the mean nanoseconds of a call, by Triton's do_bench."""
    testing: Any = importlib.import_module("triton.testing")
    return 1e6 * testing.do_bench(call, rep=1e3 * seconds, return_mode="mean")


def by_loop(call: Callable[[], Any], seconds: float) -> float:
    """Returns the mean nanoseconds of a call, by a loop of do_bench's design: as many calls as fit into the time, each
    after a write that evicts the caches, and between two events, with one synchronisation at the end."""
    written = torch.empty(WRITTEN_BYTES, dtype=torch.uint8, device=DEVICE)

    def between_events() -> tuple[Any, Any]:
        start, end = event(), event()
        written.zero_()
        start.record()
        call()
        end.record()
        return start, end

    call()
    wait()
    started_s = time.perf_counter()
    for _ in range(ESTIMATE_CALLS):
        between_events()
    wait()
    each_s = (time.perf_counter() - started_s) / ESTIMATE_CALLS
    pairs = [between_events() for _ in range(max(1, int(seconds / each_s)))]
    wait()
    return 1e6 * sum(start.elapsed_time(end) for start, end in pairs) / len(pairs)


class HostEvent:
    """Replaces a device event where calls are synchronous."""

    def record(self) -> None:
        """Records the current time."""
        self.ns = time.perf_counter_ns()

    def elapsed_time(self, end: "HostEvent") -> float:
        """Returns the milliseconds until another event."""
        return (end.ns - self.ns) / 1e6


def event() -> Any:
    """Returns an event with timing."""
    return torch.cuda.Event(enable_timing=True) if DEVICE == "cuda" else HostEvent()


def run_fresh(case: Case, kernel_calls: int, reference_calls: int, warm_ups: int) -> dict[str, list[int]]:
    """Times calls with new inputs each, and checks each output of the kernel."""
    kernel_ns: list[int] = []
    reference_ns: list[int] = []
    for turn in range(-warm_ups, max(kernel_calls, reference_calls)):
        data = reference.generate_input(**{**case, "seed": secrets.randbits(63)})
        with_kernel = turn < kernel_calls
        kernel_took, got = timed(kernel, data) if with_kernel else (0, None)
        if got is not None:
            got = got.clone()
        reference_took, expected = timed(reference.ref_kernel, data)
        if with_kernel:
            check(data, got, expected)
        if turn >= 0 and with_kernel:
            kernel_ns.append(kernel_took)
        if 0 <= turn < reference_calls:
            reference_ns.append(reference_took)
    return {"kernelNs": kernel_ns, "referenceNs": reference_ns}


def check(data: Any, got: Any, expected: Any) -> None:
    """Raises AssertionError where the output is incorrect."""
    if hasattr(reference, "check_implementation"):
        assert reference.check_implementation(data, got)[0]
    elif got.is_floating_point():
        tolerance = plan["tolerance"]
        assert tolerance is not None and torch.allclose(got, expected, rtol=tolerance["rtol"], atol=tolerance["atol"])
    else:
        assert torch.equal(got, expected)


if __name__ == "__main__":
    # References import `kernelbot_tester.inputs`.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    problem, submission = sys.argv[1:]
    sys.path.insert(0, problem)
    plan: Plan = json.load(sys.stdin)
    torch.set_num_threads(plan["threads"])
    reference = load("reference", problem + "/reference.py")
    kernel = load("submission", submission).custom_kernel
    started_s = time.monotonic()
    if "seconds" in plan:
        triton = importlib.util.find_spec("triton") is not None
        by = "triton.testing.do_bench" if triton else "a loop of do_bench's design"
        share_s = plan["seconds"] / len(plan["cases"])
        cases = [run_for(one["case"], share_s, by_triton if triton else by_loop) for one in plan["cases"]]
    else:
        by = "a plain loop"
        run = run_fresh if plan["fresh"] else run_plain
        cases = [
            run(one["case"], one["kernelCalls"], one["referenceCalls"], plan["warmUps"]) for one in plan["cases"]
        ]
    print(json.dumps({"by": by, "cases": cases, "wallS": time.monotonic() - started_s}))
