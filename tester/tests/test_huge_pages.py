"""A process that forks often holds its memory in huge pages, with the same content; and large tensors of a worker are in
huge pages."""

from __future__ import annotations

import ctypes
import mmap
import platform
import unittest
from pathlib import Path

from support import job, shared_tester

from kernelbot_tester.sandbox.allocator import find_jemalloc
from kernelbot_tester.worker.huge_pages import HUGE_BYTES, collapse, private_memory

#: First version of Linux that collapses memory on request.
COLLAPSES = (6, 1)


def huge_bytes(address: int) -> int:
    """Returns how much of the mapping with this address is in huge pages."""
    found = False
    with open("/proc/self/smaps") as lines:
        for line in lines:
            first = line.split()[0]
            if "-" in first:
                start, end = (int(one, 16) for one in first.split("-"))
                found = start <= address < end
            elif found and first == "AnonHugePages:":
                return int(line.split()[1]) << 10
    return 0


class HugePages(unittest.TestCase):
    def setUp(self) -> None:
        self.memory = mmap.mmap(-1, 4 * HUGE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.memory.write(bytes(range(256)) * (len(self.memory) // 256))
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        #: An address in the second half, so that it is in a whole huge page.
        self.address = start + 2 * HUGE_BYTES

    def test_private_memory_is_found(self) -> None:
        self.assertTrue(any(start <= self.address < end for start, end in private_memory()))

    def test_the_content_stays_the_same(self) -> None:
        collapse()
        self.assertEqual(bytes(range(256)) * 4, self.memory[3 * HUGE_BYTES : 3 * HUGE_BYTES + 1024])

    def test_memory_is_in_huge_pages_where_the_kernel_can(self) -> None:
        version = tuple(int(part) for part in platform.release().split(".")[:2])
        if version < COLLAPSES or not Path("/sys/kernel/mm/transparent_hugepage").exists():
            self.skipTest("this kernel does not collapse memory on request")
        collapse()
        self.assertGreaterEqual(huge_bytes(self.address), HUGE_BYTES)


#: Fails unless the memory of a large tensor was marked by MADV_HUGEPAGE (flag hg of proc_pid_smaps(5)).
LARGE_TENSOR = """
import torch

def custom_kernel(data):
    a, b, c = data
    large = torch.ones(1 << 21)
    within = False
    with open("/proc/self/smaps") as lines:
        for line in lines:
            name, *rest = line.split()
            if name == "VmFlags:":
                assert not within or "hg" in rest, line
            elif not name.endswith(":"):
                start, end = (int(one, 16) for one in name.split("-"))
                within = start <= large.data_ptr() < end
    torch.add(a, b, out=c)
    return c
"""


class Worker(unittest.TestCase):
    def test_large_tensors_are_in_huge_pages(self) -> None:
        setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
        if find_jemalloc() is None or not setting.exists() or "[madvise]" not in setting.read_text():
            self.skipTest("needs jemalloc, and huge pages on request")
        verdict = shared_tester().run(job(LARGE_TENSOR))[-1]
        self.assertEqual("passed", verdict["verdict"], verdict)


if __name__ == "__main__":
    unittest.main()
