"""Huge pages for a process that is forked often."""

from __future__ import annotations

import contextlib
import ctypes

HUGE_BYTES = 2 << 20
MADV_COLLAPSE = 25


def use_huge_pages() -> None:
    """Moves the heap of this process into huge pages, as far as the kernel can (Linux 6.1 or newer). A fork copies one
    page table entry for each of them instead of 512: PyTorch's heap has 100 MB."""
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    with contextlib.suppress(OSError), open("/proc/self/maps") as maps:
        for line in maps.readlines():
            addresses, access, _, _, inode, *_ = line.split()
            first, end = (int(address, 16) for address in addresses.split("-"))
            first, end = -(-first // HUGE_BYTES) * HUGE_BYTES, end // HUGE_BYTES * HUGE_BYTES
            if access == "rw-p" and inode == "0" and first < end:
                madvise(first, end - first, MADV_COLLAPSE)
