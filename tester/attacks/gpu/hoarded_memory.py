# attack: environment
# expect: no advantage
"""Takes all memory of the device at import, in which the judge and the reference then get none."""

import ctypes

import torch

torch.cuda.init()
torch.empty(1, device="cuda")
driver = ctypes.CDLL("libcuda.so.1")
size, address = 8 << 30, ctypes.c_uint64()
while size >= 2 << 20:
    if driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) != 0:
        size //= 2


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
