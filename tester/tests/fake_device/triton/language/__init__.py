"""The language of kernels, as far as the fake device implements it."""

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
    # Annotated parameters may be an int, a str or a type.
    from typing import Any as constexpr
else:
    from .values import constexpr

int1, int8, int16, int32, int64, uint8 = (TYPES[name] for name in "int1 int8 int16 int32 int64 uint8".split())
float16, bfloat16, float32, float64 = (TYPES[name] for name in "float16 bfloat16 float32 float64".split())

#: Some kernels write tl.math.exp.
math = sys.modules[__name__]
static_range = range


def program_id(axis: int) -> tensor:
    """Returns the number of this program on an axis."""
    return scalar(programs.number(axis))


def num_programs(axis: int) -> tensor:
    """Returns the number of programs on an axis."""
    return scalar(programs.count(axis))


def static_assert(condition: bool, message: str = "") -> None:
    """Raises AssertionError where a constant violates the condition."""
    assert condition, message


def debug_barrier() -> None:
    """Does nothing: programs run one after the other, and each step of a program completes before the next."""


def multiple_of(input: Any, values: Any) -> Any:
    """Returns the input: only a hint for the compiler."""
    return input


max_contiguous = multiple_of
