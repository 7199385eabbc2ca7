"""Nsight Compute, NVIDIA's kernel profiler. Options: docs.nvidia.com/nsight-compute/NsightComputeCli."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .tool import FOLDER, DeviceProfiler

#: Maximum number of kernels on the page, and of lines of each.
SHOWN_KERNELS, SHOWN_LINES = 2, 100
#: `  void add<float>(float *, int) (512, 1, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 9.0`
KERNEL = re.compile(r"^\s+\S.*\(\d+, \d+, \d+\)x\(\d+, \d+, \d+\), Context \d+")
#: The driver restricts its performance counters to root, which a sandboxed process is not.
NO_PERMISSION = "ERR_NVGPUCTRPERM"
PERMISSION_FIX = (
    "the driver of this machine keeps the performance counters to root; its operator loads the module nvidia with "
    "NVreg_RestrictProfilingToAdminUsers=0"
)


@dataclass(frozen=True)
class Nsight(DeviceProfiler):
    """`ncu`."""

    name = "Nsight Compute"
    text_suffix, report_suffix = "ncu.txt", "ncu-rep"
    text, report = "printed.1", "report.ncu-rep"

    def commands(self, target: list[str], calls: int) -> list[list[str]]:
        """Returns the commands that collect every section of the kernels in the range of the calls, and print them."""
        collect = [self.program, "--set", "full", "--import-source", "1"]
        collect += ["--nvtx", "--nvtx-include", "custom_kernel/", "-c", str(calls)]
        collect += ["-f", "-o", f"{FOLDER}/report", "--", *target]
        show = [self.program, "--import", f"{FOLDER}/{self.report}", "--page", "details", "--print-details", "body"]
        return [collect, show]

    def page(self, text: str) -> str:
        """Returns the first kernels, each with the head of its sections."""
        blocks: list[list[str]] = []
        for line in text.splitlines():
            if KERNEL.match(line):
                blocks.append([])
            if blocks:
                blocks[-1].append(line.rstrip())
        shown = []
        for block in blocks[:SHOWN_KERNELS]:
            left = len(block) - SHOWN_LINES
            shown += block if left <= 1 else [*block[:SHOWN_LINES], f"    ... {left} more lines, in the report"]
        if len(blocks) > SHOWN_KERNELS:
            shown.append(f"  ... {len(blocks) - SHOWN_KERNELS} more kernels, in the report")
        return "\n".join(shown) if shown else "No kernel ran on the device."

    def complaint(self, printed: str) -> str:
        """Returns why there is no report."""
        if NO_PERMISSION in printed:
            return f"{self.name} made no report: {PERMISSION_FIX}"
        return super().complaint(printed)


def counters_are_for_root(driver_parameters: str) -> bool:
    """Whether the driver restricts its counters to root, by the text of /proc/driver/nvidia/params."""
    return re.search(r"^RmProfilingAdminOnly:\s*1\s*$", driver_parameters, re.MULTILINE) is not None
