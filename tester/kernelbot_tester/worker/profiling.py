"""Profiles calls of the function with torch.profiler, and hands over a table and a trace.

What comes of it is made in the process of the submission: it is the submission's word, and the judge treats it so.
"""

from __future__ import annotations

import os
from typing import Any, Callable

import torch

#: Operators in the table, those with the most time of their own.
ROWS = 25
#: Where the trace begins in the file that is handed over; before it lies the table.
TABLE_BYTES = 64 << 10


class Profiling:
    """A profiler at work. Calls of `recorded` are ranges of the trace under the function's name."""

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
        """Stops, and writes the table at the start of the file and the trace behind `TABLE_BYTES`, as far as there is
        room. Gives the length of both in bytes, that of a trace without room too."""
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
    """The operators by their own time: on the device where it did anything, else on the CPU. Times are sums."""
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
    """Time on the CPU in the operator itself, in microseconds."""
    return float(average.self_cpu_time_total)


def own_device_us(average: Any) -> float:
    """Time on the device in the operator itself, in microseconds. PyTorch before 2.3 says `cuda` for any device."""
    for name in ("self_device_time_total", "self_cuda_time_total"):
        if hasattr(average, name):
            return float(getattr(average, name))
    return 0.0


def duration(us: float) -> str:
    """Microseconds as people read them."""
    return f"{us:.1f} us" if us < 1e3 else f"{us / 1e3:.2f} ms" if us < 1e6 else f"{us / 1e6:.3f} s"
