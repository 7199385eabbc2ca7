"""Profiles calls of the function with torch.profiler, and returns a table and a trace.

Both are made in the submission's process, so the judge treats them as untrusted.
"""

from __future__ import annotations

import os
from typing import Any, Callable

import torch

#: Number of operators in the table, those with the most self time.
ROWS = 25
#: Offset of the trace in the shared file; the table precedes it.
TABLE_BYTES = 64 << 10


class Profiling:
    """A running profiler. Calls of `recorded` are ranges of the trace under the function's name."""

    def __init__(self, function: Callable[[Any], Any], name: str) -> None:
        self.function = function
        self.name = name
        activities = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_initialized():
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        self.profiler = torch.profiler.profile(activities=activities)
        self.profiler.start()

    def recorded(self, data: Any) -> Any:
        """Calls the function."""
        with torch.profiler.record_function(self.name):
            return self.function(data)

    def hand_over(self, file: int, folder: str) -> dict[str, int]:
        """Stops the profiler. Writes the table at the start of the file and the trace at `TABLE_BYTES`, if it fits.
        Returns the length of both in bytes, including that of a trace that does not fit."""
        self.profiler.stop()
        text = table(self.profiler.key_averages()).encode("utf-8", "replace")[:TABLE_BYTES]
        os.pwrite(file, text, 0)
        path = os.path.join(folder, "trace.json")
        self.profiler.export_chrome_trace(path)
        with open(path, "rb") as trace:
            os.unlink(path)
            size = os.fstat(trace.fileno()).st_size
            if TABLE_BYTES + size <= os.fstat(file).st_size:
                copied = 0
                while copied < size:
                    copied += os.pwrite(file, trace.read(1 << 20), TABLE_BYTES + copied)
        os.close(file)
        return {"tableBytes": len(text), "traceBytes": size}


def table(averages: Any) -> str:
    """Formats the operators sorted by self time: on the device if it was used, else on the CPU. Times are sums over
    all calls."""
    rows = [(own_device_us(one), own_cpu_us(one), one) for one in averages]
    device_us, cpu_us = (sum(row[place] for row in rows) for place in (0, 1))
    by_device = device_us > 0
    rows.sort(key=lambda row: row[0] if by_device else row[1], reverse=True)
    titles = ["self %", "self CPU", "total CPU", "calls", "operator"]
    if by_device:
        titles.insert(1, "self device")
    lines = [titles]
    for device, cpu, one in rows[:ROWS]:
        share = device / device_us if by_device else cpu / max(cpu_us, 1e-9)
        line = [f"{share:.1%}", duration(cpu), duration(one.cpu_time_total), str(one.count), str(one.key)[:80]]
        if by_device:
            line.insert(1, duration(device))
        lines.append(line)
    if len(rows) > ROWS:
        lines.append([""] * (len(titles) - 1) + [f"and {len(rows) - ROWS} more"])
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles) - 1)]
    return "\n".join(
        "  ".join([*(cell.rjust(width) for cell, width in zip(line, widths)), line[-1]]).rstrip() for line in lines
    )


def own_cpu_us(average: Any) -> float:
    """Returns the self time of an operator on the CPU, in microseconds."""
    return float(average.self_cpu_time_total)


def own_device_us(average: Any) -> float:
    """Returns the self time of an operator on the device, in microseconds. PyTorch before 2.3 says `cuda` for any
    device."""
    for name in ("self_device_time_total", "self_cuda_time_total"):
        if hasattr(average, name):
            return float(getattr(average, name))
    return 0.0


def duration(us: float) -> str:
    """Formats a time in microseconds with a readable unit."""
    return f"{us:.1f} us" if us < 1e3 else f"{us / 1e3:.2f} ms" if us < 1e6 else f"{us / 1e6:.3f} s"
