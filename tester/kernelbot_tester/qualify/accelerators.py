"""Checks of an accelerator: other users, its clock, and the driver functions that judge and worker need. Every call
of a device goes through `kernelbot_tester.device`."""

from __future__ import annotations

import contextlib
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator, NamedTuple

from ..device.find import FoundAccelerator, visible_devices
from ..device.telemetry import Reading, Sensors
from ..sandbox.child import in_child
from .figures import Figure, Row

#: Maximum use by other programs: per cent of the device's time, and memory in MiB.
MOST_BUSY, MOST_MEMORY_MIB = 5.0, 1024.0
#: A clock counts as fixed if idle and busy differ by at most this fraction.
SAME_CLOCK = 0.02
#: Timeout in seconds until a process works on the device, and seconds that it works before the reading.
WORK_STARTS_S, POLL_S = 60.0, 1.0
#: Number of processes that AMD's scheduler runs concurrently.
AMD_PROCESSES = Path("/sys/module/amdgpu/parameters/hws_max_conc_proc")
#: Multiplies matrices until its standard input ends.
WORK = """
import select, sys, torch
factor = torch.ones(4096, 4096, dtype=torch.float16, device=sys.argv[1])
(factor @ factor).sum().item()
print("at work", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(10):
        factor @ factor
    torch.cuda.synchronize()
"""

COOL = "Check its cooling and power (nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER), then qualify again"


def accelerators(found: FoundAccelerator) -> Iterator[Row]:
    """Yields the rows for each device, idle and busy. The doctor's findings describe the devices and their driver."""
    if found.choice.api == "hip":
        yield sharing_row()
    for number, use in enumerate(uses()):
        yield use_row(number, use)
    for number in range(max(1, len(found.names))):
        sensors = found.sensors(number)
        if sensors is None:
            yield Row(f"clock of device {number}", True, "the driver does not report clocks and temperature")
            continue
        idle = sensors.read()
        at_work = read_at_work(sensors, f"{found.choice.tensors}:{number}") if found.choice.tensors == "cuda" else None
        yield clock_row(number, idle, at_work)


def sharing_row(parameter: Path = AMD_PROCESSES) -> Row:
    """Checks that kernels of judge and worker do not run concurrently. CUDA's processes always alternate; AMD's
    scheduler runs several processes concurrently unless configured otherwise."""
    try:
        most = parameter.read_text().strip()
    except OSError:
        most = "unknown"
    detail = f"processes that AMD's scheduler runs concurrently: {most} (0: none)"
    fix = (
        "Run one process at a time on the device, so that no kernel of a worker runs while the judge measures: "
        "options amdgpu hws_max_conc_proc=0 in /etc/modprobe.d, and reboot"
    )
    return Row("turns of processes", most == "0", detail, fix)


class Use(NamedTuple):
    """Use of a device by other programs, before the qualification starts."""

    busy: float
    memory_mib: float


def uses() -> list[Use]:
    """Returns the use of each visible NVIDIA device; empty where nvidia-smi is not installed."""
    shown = [f"--id={','.join(visible)}"] if (visible := visible_devices()) else []
    query = ["nvidia-smi", *shown, "--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits"]
    found: list[Use] = []
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        for line in subprocess.run(query, capture_output=True, text=True, timeout=20).stdout.splitlines():
            # A device may not support either figure: [N/A].
            with contextlib.suppress(ValueError):
                found.append(Use(*map(float, line.split(","))))
    return found


def use_row(number: int, use: Use) -> Row:
    """Checks that no other program uses the device."""
    free = use.busy <= MOST_BUSY and use.memory_mib <= MOST_MEMORY_MIB
    figures = [Figure("busy", use.busy, "% of the time"), Figure("memory in use", use.memory_mib, "MiB")]
    fix = "Stop the other processes that use it (nvidia-smi lists them): a shared device is too noisy to qualify"
    return Row(f"use of device {number}", free, "free" if free else "in use by other processes", fix, figures)


def read_at_work(sensors: Sensors, device: str) -> Reading | None:
    """Takes a reading while a process multiplies matrices; None where it cannot."""
    command = [sys.executable, "-c", WORK, device]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as work:
        assert work.stdout is not None
        try:
            started, _, _ = select.select([work.stdout], [], [], WORK_STARTS_S)
            if not started or work.stdout.readline() != b"at work\n":
                return None
            time.sleep(POLL_S)
            return sensors.read()
        finally:
            work.kill()


def clock_row(number: int, idle: Reading, at_work: Reading | None) -> Row:
    """Checks that the device is not throttled, and reports whether its clock is fixed."""
    figures = [
        Figure(f"{what}, {when}", value, unit)
        for when, reading in (("idle", idle), ("at work", at_work))
        if reading is not None
        for what, value, unit in (
            ("SM clock", reading.sm_mhz, "MHz"),
            ("memory clock", reading.memory_mhz, "MHz"),
            ("temperature", reading.temperature_c, "C"),
            ("power", reading.power_w, "W"),
        )
        if value is not None
    ]
    name = f"clock of device {number}"
    throttled = sorted({*idle.throttled, *(at_work.throttled if at_work is not None else ())})
    if throttled:
        return Row(name, False, f"throttled: {', '.join(throttled)}", COOL, figures)
    if at_work is None or idle.sm_mhz is None or at_work.sm_mhz is None:
        return Row(name, True, "not throttled; unknown whether the clock is fixed", None, figures)
    fixed = abs(idle.sm_mhz - at_work.sm_mhz) <= SAME_CLOCK * at_work.sm_mhz
    detail = "fixed" if fixed else "not fixed: a clock fixed by nvidia-smi -lgc reduces noise"
    return Row(name, True, f"not throttled; {detail}", None, figures)


def shared_by_driver(found: FoundAccelerator) -> Iterator[Row]:
    """Runs the driver functions that the judge needs, step by step, in a separate process that opens the device."""

    def steps() -> list[list[str]]:
        import torch

        from ..device.exercise import opened

        # Threads of this process do not exist in the fork, and PyTorch would wait for them.
        torch.set_num_threads(1)
        outcomes: list[list[str]] = []
        for name, step in opened(found):
            try:
                outcomes.append([name, step(), ""])
            except Exception as error:
                outcomes.append([name, "", f"{type(error).__name__}: {error}"[:1000]])
        return outcomes

    outcomes = in_child(steps) or [["the driver", "", "the process that called it exited"]]
    failed = [f"{name}: {error}" for name, _, error in outcomes if error]
    detail = "; ".join(failed or [f"{name}: {result}" for name, result, _ in outcomes])
    yield Row("driver", not failed, detail, "Install a PyTorch build that this driver supports (nvidia-smi; torch.version.cuda)")
