"""Smoke test of a device: runs each operation that the judge needs, and prints its result.

    python3 -m kernelbot_tester.device.exercise     # exit code 0 when all pass
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Callable, Iterable, Iterator, cast

from ..judge.statistics import median
from ..messages import Problem, ProblemSpec, Rounds, VerdictEvent
from ..qualify.jobs import job, timed_cases, verdict_event
from ..qualify.tester import PACKAGES, Tester
from .find import FoundAccelerator, NoAccelerator, find_accelerator

#: Timeout of a run in seconds.
RUN_S = 300.0

REFERENCE = """
import os, torch
DEVICE = os.environ["KERNELBOT_DEVICE"]

def generate_input(size, seed):
    generator = torch.Generator(DEVICE).manual_seed(seed)
    a, b = (torch.rand(size, generator=generator, device=DEVICE) for _ in range(2))
    return a, b, torch.empty_like(a)

def ref_kernel(data):
    return torch.add(data[0], data[1], out=data[2])
"""
KERNEL = "import torch\ndef custom_kernel(data):\n    return torch.add(data[0], data[1], out=data[2])\n"
LATE = """
import torch, worker.device
worker.device.Device.end = lambda self: setattr(self, "took_ns", 1000.0)
""" + KERNEL
#: Program of a second process that shares memory: adds one to each byte.
NEIGHBOUR = """
import sys
sys.path.insert(0, sys.argv[1])
from kernelbot_tester.worker.driver_choice import DriverChoice
from kernelbot_tester.worker.driver import Driver
from kernelbot_tester.worker.memory import SharedDevice
from kernelbot_tester.worker.layout import Slot
driver = Driver(DriverChoice(*sys.argv[4:]))
size = int(sys.argv[3])
SharedDevice(driver, int(sys.argv[2]), size).raw(Slot(0, size, [size], [1], "uint8", "device")).add_(1)
driver.synchronize()
"""

Step = tuple[str, Callable[[], str]]


def judged(command: list[str]) -> Iterator[Step]:
    """Yields the steps that judge a correct kernel and one that does not wait for the device, by a tester in a
    separate process."""
    testers: list[Tester] = []

    def starts() -> str:
        testers.append(Tester(command))
        return "a worker opened the device in its cell"

    def run(source: str) -> tuple[VerdictEvent, Rounds]:
        events = testers[0].run(job(addition(), source, "benchmark", "accelerator"), time.monotonic() + RUN_S)
        return verdict_event(events), [one for rounds in timed_cases(events) for one in rounds]

    def median_us(samples: Iterable[list[float]]) -> float:
        return median([time for one in samples for time in one]) / 1e3

    def honest() -> str:
        verdict, rounds = run(KERNEL)
        if verdict["verdict"] != "passed":
            raise AssertionError(verdict["message"])
        kernel_us, reference_us = (median_us(one[who] for one in rounds) for who in ("candidateNs", "referenceNs"))
        return f"passed; median {kernel_us:.1f} us, the same code as reference {reference_us:.1f} us, {len(rounds)} rounds"

    def hasty() -> str:
        verdict, rounds = run(LATE)
        if verdict["verdict"] == "infra_error":
            raise AssertionError(verdict["message"])
        if rounds:
            return f"median {median_us(one['candidateNs'] for one in rounds):.1f} us"
        return f"{verdict['failureClass']}: {verdict['message']}"

    yield "a tester starts", starts
    yield "an honest kernel passes", honest
    yield "a kernel that does not wait gains nothing", hasty
    for tester in testers:
        tester.close()


def addition() -> Problem:
    """Returns a problem that adds 64 MiB of numbers."""
    spec = {
        "name": "exercise",
        "templates": {},
        "tests": [{"size": 1000, "seed": 1}],
        "benchmarks": [{"size": 1 << int(os.environ.get("EXERCISE_LOG2_SIZE", "24")), "seed": 1}],
        "targets": {"accelerator": {}},
        "outputs": 1,
        "tolerance": {"rtol": 0, "atol": 0, "reason": "one operation"},
        "stop": "rounds",
        "rankingBy": "geom",
        "regime": "isolated",
        "timeoutsS": {"prepare": 60, "test": 60, "benchmark": 60, "ranked": 60},
    }
    return {"spec": cast(ProblemSpec, spec), "files": {"reference.py": REFERENCE}}


def opened(found: FoundAccelerator) -> Iterator[Step]:
    """Yields the steps in which this process opens the device."""
    import torch

    from ..worker.layout import Slot
    from .accelerator import Accelerator, DeviceMemory

    device = found.device()
    assert isinstance(device, Accelerator)
    size = 1 << 20
    whole = Slot(0, size, [size], [1], "uint8", "device")
    held: list[DeviceMemory] = []

    def opens() -> str:
        device.start()
        return f"granularity {device.driver.granularity} bytes, caches {device.cache_bytes} bytes"

    def memory() -> str:
        held.append(DeviceMemory(device.driver, size))
        held[0].raw(whole).fill_(41)
        return f"{held[0].size} bytes for {size}"

    def shared() -> str:
        arguments = [str(PACKAGES), str(held[0].file), str(held[0].size), *device.choice]
        command = [sys.executable, "-c", NEIGHBOUR, *arguments]
        done = subprocess.run(command, pass_fds=[held[0].file], capture_output=True, text=True)
        if done.returncode != 0 or not bool((held[0].raw(whole) == 42).all()):
            raise AssertionError(done.stderr[-1000:] or "the bytes written by the other process are missing")
        return "this process reads the bytes that another one wrote"

    def events() -> str:
        start, end = device.driver.new_event(), device.driver.new_event()
        matrix = torch.rand(1024, 1024, device=device.name)
        begun = time.perf_counter_ns()
        device.driver.recorder(start)()
        for _ in range(20):
            matrix = torch.mm(matrix, matrix)
        device.driver.recorder(end)()
        device.synchronize()
        host_ns, device_ns = time.perf_counter_ns() - begun, device.driver.elapsed_ns(start, end)
        if not 0 < device_ns < host_ns * 1.001 + 2000:
            raise AssertionError(f"{device_ns} ns by the device, {host_ns} ns by this process")
        return f"{device_ns / 1e3:.1f} us by the device, {host_ns / 1e3:.1f} us by this process"

    def eviction() -> str:
        begun = time.perf_counter_ns()
        device.evict()
        device.synchronize()
        return f"{(time.perf_counter_ns() - begun) / 1e3:.1f} us"

    def sensors() -> str:
        return str(device.reading())

    yield "the device opens", opens
    yield "exportable memory", memory
    yield "memory shared with another process", shared
    yield "events", events
    yield "eviction", eviction
    yield "sensors", sensors


def exercise(found: FoundAccelerator, command: list[str]) -> int:
    """Runs all steps and prints a line for each. Returns the exit code: 0 if all pass, else 1."""
    failed = 0
    for steps in (judged(command), opened(found)):
        for name, step in steps:
            try:
                print(f"ok  {name}: {step()}", flush=True)
            except Exception as error:
                failed += 1
                print(f"NOT {name}: {type(error).__name__}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(exercise(find_accelerator(), [sys.executable, "-m", "kernelbot_tester", "serve", "--accelerator"]))
    except NoAccelerator as nothing:
        sys.exit(f"NOT an accelerator: {nothing}")
