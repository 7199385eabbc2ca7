"""Compares tensors in contiguous host memory where they are, in one pass."""

from __future__ import annotations

import ctypes

import torch

from ..sandbox.native_library import native

memcmp = ctypes.CDLL(None).memcmp
memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def is_in_place(*tensors: torch.Tensor) -> bool:
    """Whether all tensors are in contiguous host memory."""
    return all(one.device.type == "cpu" and one.is_contiguous() for one in tensors)


def all_close(got: torch.Tensor, expected: torch.Tensor, rtol: float, atol: float) -> bool:
    """Whether two tensors in contiguous host memory are correct as `compare` defines it: float32, or integers that are
    equal. False for other memory and other types, whose bits may be NaN."""
    if not is_in_place(got, expected):
        return False
    if got.dtype != torch.float32:
        is_number = got.is_floating_point() or got.is_complex()
        return not is_number and same_bits(got, expected)
    return bool(native().kb_all_close(got.data_ptr(), expected.data_ptr(), got.numel(), rtol, atol))


def same_bits(got: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two tensors in contiguous host memory are equal in every bit. False for other memory."""
    size = got.numel() * got.element_size()
    return is_in_place(got, expected) and memcmp(got.data_ptr(), expected.data_ptr(), size) == 0


def float32_errors(got: torch.Tensor, expected: torch.Tensor) -> tuple[float, float]:
    """Returns the largest absolute and relative errors as `largest_errors` defines them, of float32 tensors in contiguous
    host memory; infinite where one is not finite."""
    errors = (ctypes.c_float * 2)()
    native().kb_largest_errors(got.data_ptr(), expected.data_ptr(), got.numel(), errors)
    return errors[0], errors[1]
