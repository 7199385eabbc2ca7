"""Keeps a thread pool for all calls."""

from concurrent.futures import ThreadPoolExecutor
import torch

pool = ThreadPoolExecutor(4)


def custom_kernel(data):
    a, b, c = data
    def rows(start):
        torch.mm(a[start::4], b, out=(part := torch.empty(len(a[start::4]), b.shape[1])))
        c[start::4] = part
    list(pool.map(rows, range(4)))
    return c
