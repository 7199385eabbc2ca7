"""Has its scratch in a memory-mapped file."""

import numpy
import torch

files = {}


def custom_kernel(data):
    a, b, _ = data
    if a.shape not in files:
        files[a.shape] = numpy.memmap(f"/tmp/scratch-{len(a)}", dtype=numpy.float32, mode="w+", shape=tuple(a.shape))
    numpy.matmul(a.numpy(), b.numpy(), out=files[a.shape])
    return torch.from_numpy(files[a.shape])
