"""Starts processes that search for the best block size at import, one size each."""

import multiprocessing
import time
import torch


def duration(block):
    a, b = torch.randn(2, 256, 256)
    started = time.perf_counter()
    for start in range(0, 256, block):
        torch.mm(a[start : start + block], b)
    return time.perf_counter() - started


BLOCKS = [64, 128, 256]
with multiprocessing.get_context("fork").Pool(2) as pool:
    times = pool.map(duration, BLOCKS)
    pool.close()
    pool.join()
block = BLOCKS[times.index(min(times))]


def custom_kernel(data):
    a, b, c = data
    for start in range(0, a.shape[0], block):
        torch.mm(a[start : start + block], b, out=c[start : start + block])
