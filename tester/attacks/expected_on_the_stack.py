# attack: judge
# expect: refused
"""Searches the frames of its callers for the reference or the expected output."""

import sys
import torch


def custom_kernel(data):
    frame = sys._getframe()
    while frame is not None:
        for scope in (frame.f_locals, frame.f_globals):
            for name in ("expected", "ref_kernel", "reference"):
                if isinstance(scope.get(name), torch.Tensor):
                    return scope[name]
                if callable(scope.get(name)):
                    return scope[name](data)
        frame = frame.f_back
