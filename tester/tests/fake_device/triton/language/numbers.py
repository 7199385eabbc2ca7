"""Operations on blocks."""

from __future__ import annotations

from typing import Any, Callable

import torch

from .values import binary, block, common, dtype, is_plain, operand, sizes, tensor, wide

#: Minimum size of a matrix product.
SMALLEST = 16


def arange(start: int, end: int) -> tensor:
    """Returns the numbers from `start` to `end`, without `end`."""
    if not isinstance(start, int) or not isinstance(end, int):
        raise TypeError("tl.arange takes tl.constexpr")
    sizes(end - start)
    return tensor(torch.arange(start, end, dtype=torch.int32))


def full(shape: Any, value: Any, dtype: dtype) -> tensor:
    """Returns a block filled with one number."""
    return tensor(operand(value, dtype.torch).broadcast_to(sizes(shape)).clone())


def zeros(shape: Any, dtype: dtype) -> tensor:
    """Returns a block of zeros."""
    return full(shape, 0, dtype)


def zeros_like(like: tensor) -> tensor:
    """Returns zeros in the shape and type of another block."""
    return tensor(torch.zeros_like(like.value))


def of_floats(action: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Any], tensor]:
    """Wraps a function that Triton supports only for float32 and float64."""

    def apply(x: Any) -> tensor:
        value = block(x).value
        if value.dtype not in (torch.float32, torch.float64):
            raise TypeError(f"{action.__name__} takes float32 and float64, not {value.dtype}: write .to(tl.float32)")
        return tensor(action(value))

    return apply


exp, exp2, log, log2 = map(of_floats, (torch.exp, torch.exp2, torch.log, torch.log2))
sqrt, rsqrt, sin, cos = map(of_floats, (torch.sqrt, torch.rsqrt, torch.sin, torch.cos))
sigmoid, floor, ceil, erf = map(of_floats, (torch.sigmoid, torch.floor, torch.ceil, torch.erf))


def abs(x: Any) -> tensor:
    """Returns the absolute values."""
    return tensor(block(x).value.abs())


def maximum(x: Any, y: Any, **_: Any) -> tensor:
    """Returns the larger of each two elements."""
    return binary(torch.maximum, x, y)


def minimum(x: Any, y: Any, **_: Any) -> tensor:
    """Returns the smaller of each two elements."""
    return binary(torch.minimum, x, y)


def clamp(x: Any, min: Any, max: Any, **_: Any) -> tensor:
    """Limits the elements to the bounds."""
    return minimum(maximum(x, min), max)


def fma(x: Any, y: Any, z: Any) -> tensor:
    """Returns `x * y + z`."""
    return block(x) * y + z


def cdiv(x: Any, div: Any) -> Any:
    """Returns the quotient, rounded up."""
    return (x + div - 1) // div


def where(condition: Any, x: Any, y: Any) -> tensor:
    """Returns `x` where the condition holds, else `y`."""
    # Two Python numbers get the default types; a single one takes the type of the block.
    x = block(x) if is_plain(y) else x
    kind = common(x, y)
    return tensor(torch.where(block(condition).value.bool(), operand(x, kind), operand(y, kind)))


def sum(input: tensor, axis: int | None = None, keep_dims: bool = False, **_: Any) -> tensor:
    """Returns the sum over an axis, or over all elements."""
    value, kind = input.value, input.value.dtype
    if kind in (torch.bool, torch.int8, torch.int16, torch.uint8):
        kind = torch.int32
    value = wide(value)
    total = value.sum() if axis is None else value.sum(axis, keepdim=keep_dims)
    return tensor(total.to(kind))


def max(input: tensor, axis: int | None = None, keep_dims: bool = False, **_: Any) -> tensor:
    """Returns the maximum along an axis, or of all elements."""
    return tensor(input.value.max() if axis is None else input.value.amax(axis, keepdim=keep_dims))


def min(input: tensor, axis: int | None = None, keep_dims: bool = False, **_: Any) -> tensor:
    """Returns the minimum along an axis, or of all elements."""
    return tensor(input.value.min() if axis is None else input.value.amin(axis, keepdim=keep_dims))


def argmax(input: tensor, axis: int, **_: Any) -> tensor:
    """Returns the index of the maximum along an axis, the first of several."""
    return tensor(input.value.argmax(axis).int())


def argmin(input: tensor, axis: int, **_: Any) -> tensor:
    """Returns the index of the minimum along an axis, the first of several."""
    return tensor(input.value.argmin(axis).int())


def cumsum(input: tensor, axis: int = 0, reverse: bool = False, **_: Any) -> tensor:
    """Returns the prefix sums along an axis."""
    value = wide(input.value)
    total = value.flip(axis).cumsum(axis).flip(axis) if reverse else value.cumsum(axis)
    return tensor(total.to(input.value.dtype))


def dot(
    input: tensor,
    other: tensor,
    acc: tensor | None = None,
    input_precision: str = "tf32",
    allow_tf32: bool = True,
    **_: Any,
) -> tensor:
    """Returns the product of two matrices, summed in float32 (integers in int32). float32 is rounded to TF32, unless
    `input_precision` is `ieee`."""
    one, two = input.value, other.value
    if one.dtype != two.dtype:
        raise TypeError(f"tl.dot takes two blocks of one type, not {one.dtype} and {two.dtype}")
    dimensions = [*one.shape[-2:], two.shape[-1]]
    if any(size < SMALLEST for size in dimensions):
        raise ValueError(f"tl.dot takes at least {SMALLEST} rows and columns, not {dimensions}")
    if one.dtype == torch.float32 and input_precision == "tf32" and allow_tf32:
        one, two = tf32(one), tf32(two)
    kind = torch.float32 if one.is_floating_point() else torch.int32
    product = torch.matmul(one.to(kind), two.to(kind))
    return tensor(product if acc is None else (acc.value + product).to(acc.value.dtype))


def tf32(value: torch.Tensor) -> torch.Tensor:
    """Rounds float32 to the ten fraction bits that tensor cores use."""
    bits = value.contiguous().view(torch.int32)
    return torch.where(value.isfinite(), ((bits + 0x1000) & ~0x1FFF).view(torch.float32), value)


def trans(input: tensor, *dims: int) -> tensor:
    """Returns the transposed block, or the block with permuted dimensions."""
    return tensor(input.value.permute(dims) if dims else input.value.t())


def reshape(input: tensor, *shape: Any) -> tensor:
    """Returns the block in another shape."""
    return input.reshape(*shape)


def broadcast_to(input: Any, *shape: Any) -> tensor:
    """Returns the block broadcast to a shape."""
    target_shape = shape[0] if isinstance(shape[0], (tuple, list)) else shape
    return tensor(block(input).value.broadcast_to(sizes(target_shape)))


def expand_dims(input: tensor, axis: int) -> tensor:
    """Returns the block with an additional dimension of size 1."""
    return tensor(input.value.unsqueeze(axis))


def cast(input: Any, dtype: dtype, bitcast: bool = False, **_: Any) -> tensor:
    """Returns the block in another type."""
    return block(input).to(dtype, bitcast)
