"""The language of kernels, as far as the stand-in has it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import programs
from .memory import atomic_add, atomic_max, atomic_min, load, store
from .numbers import (
    abs, arange, argmax, argmin, broadcast_to, cast, cdiv, ceil, clamp, cos, cumsum, dot, erf, exp, exp2, expand_dims,
    floor, fma, full, log, log2, max, maximum, min, minimum, reshape, rsqrt, sigmoid, sin, sqrt, sum, trans, where,
    zeros, zeros_like,
)  # fmt: skip
from .values import TYPES, dtype, pointer, scalar, tensor

if TYPE_CHECKING:
    # What is annotated with it is an int, a str, a type.
    from typing import Any as constexpr
else:
    from .values import constexpr

int1, int8, int16, int32, int64, uint8 = (TYPES[name] for name in "int1 int8 int16 int32 int64 uint8".split())
float16, bfloat16, float32, float64 = (TYPES[name] for name in "float16 bfloat16 float32 float64".split())

#: Some write tl.math.exp.
math = sys.modules[__name__]
static_range = range


def program_id(axis: int) -> tensor:
    """The number of this program on an axis."""
    return scalar(programs.number(axis))


def num_programs(axis: int) -> tensor:
    """How many programs the axis has."""
    return scalar(programs.count(axis))


def static_assert(condition: bool, message: str = "") -> None:
    """Raises where a constant is not as it should be."""
    assert condition, message


def debug_barrier() -> None:
    """Programs run one after the other, and each step of one is whole before the next."""


def multiple_of(input: Any, values: Any) -> Any:
    """A hint for the compiler."""
    return input


max_contiguous = multiple_of
