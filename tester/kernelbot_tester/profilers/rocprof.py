"""rocprofv3, AMD's kernel tracer. Options: rocm.docs.amd.com/projects/rocprofiler-sdk."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from .tool import FOLDER, DeviceProfiler

#: Number of kernels in the table, those with the most time.
SHOWN_KERNELS = 25
TRACES = ["hip", "kernel", "rccl", "marker", "memory-copy", "scratch-memory"]


@dataclass(frozen=True)
class Rocprof(DeviceProfiler):
    """`rocprofv3`."""

    name = "rocprofv3"
    text_suffix, report_suffix = "rocprof.txt", "pftrace"
    text, report = "trace/*kernel_trace.csv", "trace/*.pftrace"

    def commands(self, target: list[str], calls: int) -> list[list[str]]:
        """Returns the command that traces the whole process: rocprofv3 cannot filter by ranges, so the warm-up call is
        included."""
        del calls
        traces = [f"--{name}-trace" for name in TRACES]
        where = ["--output-format", "pftrace", "csv", "-d", f"{FOLDER}/trace", "-o", "run"]
        return [[self.program, "--log-level", "fatal", *traces, *where, "--", *target]]

    def page(self, text: str) -> str:
        """Returns a table of the kernels by their time on the device, summed over their launches."""
        totals: dict[str, tuple[int, int]] = {}
        try:
            for row in csv.DictReader(io.StringIO(text)):
                ns, launches = totals.get(row["Kernel_Name"], (0, 0))
                took = int(row["End_Timestamp"]) - int(row["Start_Timestamp"])
                totals[row["Kernel_Name"]] = (ns + took, launches + 1)
        except (KeyError, TypeError, ValueError, csv.Error):
            return "The trace of kernels is not what rocprofv3 writes."
        if not totals:
            return "No kernel ran on the device."
        rows = sorted(totals.items(), key=lambda item: item[1], reverse=True)
        lines = [f"{'time':>12}  {'launches':>8}  kernel"]
        for name, (ns, launches) in rows[:SHOWN_KERNELS]:
            lines.append(f"{ns / 1e3:>9.1f} us  {launches:>8}  {name[:80]}")
        if len(rows) > SHOWN_KERNELS:
            lines.append(f"{'':>12}  {'':>8}  and {len(rows) - SHOWN_KERNELS} more")
        return "\n".join(lines)
