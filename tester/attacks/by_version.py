# attack: replay
# expect: refused
"""Trusts the counter by which a tensor tells that it was written to."""

import torch

last = {}


def custom_kernel(data):
    key = (data[0].data_ptr(), data[0]._version, data[1]._version)
    if last.get("key") != key:
        last.update(key=key, answer=torch.mm(data[0], data[1]))
    return last["answer"]
