"""Values of a kernel: types, blocks of numbers, and pointers into tensors."""

from __future__ import annotations

import operator
from typing import Any, Callable, Sequence

import torch


class dtype:
    """A type of elements, with PyTorch's type."""

    def __init__(self, name: str, torch_type: torch.dtype) -> None:
        self.name, self.torch = name, torch_type

    def is_floating(self) -> bool:
        """Whether it is a floating-point type."""
        return self.torch.is_floating_point

    def __repr__(self) -> str:
        return self.name


TYPES = {
    name: dtype(name, getattr(torch, "bool" if name == "int1" else name))
    for name in "int1 int8 int16 int32 int64 uint8 float16 bfloat16 float32 float64".split()
}
OF_TORCH = {one.torch: one for one in TYPES.values()}


class ConstantInt(int):
    """A whole number that is known at compile time."""


class ConstantFloat(float):
    """A number that is known at compile time."""


class constexpr:
    """Annotates a parameter, and marks a global."""

    kinds = (ConstantInt, ConstantFloat)

    def __new__(cls, value: Any) -> Any:
        kind = {int: ConstantInt, float: ConstantFloat}.get(type(value))
        return value if kind is None else kind(value)


def is_plain(value: Any) -> bool:
    """Whether the value is a Python number."""
    return isinstance(value, (bool, int, float))


def wide(value: torch.Tensor) -> torch.Tensor:
    """Converts half precisions to float32, in which the processor computes; the result is rounded once."""
    return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value


def common(one: Any, other: Any) -> torch.dtype:
    """Returns the common type of two operands. Python numbers take the type of the other operand."""
    if is_plain(one):
        one, other = other, one
    if not is_plain(other):
        return torch.promote_types(one.value.dtype, other.value.dtype)
    own = one.value.dtype
    if isinstance(other, float):
        return own if own.is_floating_point else torch.float32
    return torch.int32 if own == torch.bool and not isinstance(other, bool) else own


def operand(value: Any, kind: torch.dtype) -> torch.Tensor:
    """Returns an operand in the type of an operation."""
    return torch.tensor(value, dtype=kind) if is_plain(value) else value.value.to(kind)


def binary(action: Callable[..., torch.Tensor], one: Any, other: Any, result: torch.dtype | None = None) -> tensor:
    """Applies an operation to two operands; `result`: type of the result."""
    if isinstance(one, pointer) or isinstance(other, pointer):
        raise TypeError("a pointer takes + and - with whole numbers, and nothing else")
    kind = common(one, other)
    return tensor(action(wide(operand(one, kind)), wide(operand(other, kind))).to(result or kind))


def divided(one: Any, other: Any) -> tensor:
    """Implements `/`; for integers the result is float32."""
    kind = common(one, other)
    return binary(torch.true_divide, one, other, kind if kind.is_floating_point else torch.float32)


def quotient(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Implements `//` as in C: rounds towards zero."""
    if one.is_floating_point():
        raise TypeError("// is for whole numbers")
    return torch.div(one, other, rounding_mode="trunc")


def both(action: Callable[..., torch.Tensor]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Returns an operator with the block on the left and on the right. A pointer on the right handles the addition
    itself."""

    def left(self: tensor, other: Any) -> Any:
        return NotImplemented if isinstance(other, pointer) else binary(action, self, other)

    return left, lambda self, other: binary(action, other, self)


def comparison(action: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an operator with a boolean result."""
    return lambda self, other: binary(action, self, other, torch.bool)


class tensor:
    """A block of numbers, or a scalar."""

    def __init__(self, value: torch.Tensor) -> None:
        self.value = value

    @property
    def dtype(self) -> dtype:
        """Type of its elements."""
        return OF_TORCH[self.value.dtype]

    @property
    def shape(self) -> list[int]:
        """Sizes of its dimensions."""
        return list(self.value.shape)

    @property
    def T(self) -> tensor:
        """The transposed block."""
        return tensor(self.value.t())

    def to(self, kind: dtype, bitcast: bool = False, **_: Any) -> tensor:
        """Returns the block in another type; with `bitcast`, with the same bits."""
        return tensor(self.value.contiguous().view(kind.torch) if bitcast else self.value.to(kind.torch))

    def reshape(self, *shape: Any) -> tensor:
        """Returns the block in another shape."""
        return tensor(self.value.reshape(shape[0] if isinstance(shape[0], (tuple, list)) else shape))

    def __getitem__(self, places: Any) -> tensor:
        places = places if isinstance(places, tuple) else (places,)
        if any(place is not None and place != slice(None) for place in places):
            raise TypeError("a block takes None and : as indices, and no others")
        return tensor(self.value[places])

    def __index__(self) -> int:
        if self.value.dim() > 0 or self.value.is_floating_point():
            raise TypeError("a whole number is needed here, not a block")
        return int(self.value)

    def __bool__(self) -> bool:
        if self.value.dim() > 0:
            raise TypeError("a block is neither true nor false: write tl.where, & and |")
        return bool(self.value)

    __add__, __radd__ = both(operator.add)
    __sub__, __rsub__ = both(operator.sub)
    __mul__, __rmul__ = both(operator.mul)
    __floordiv__, __rfloordiv__ = both(quotient)
    __mod__, __rmod__ = both(torch.fmod)
    __and__, __rand__ = both(operator.and_)
    __or__, __ror__ = both(operator.or_)
    __xor__, __rxor__ = both(operator.xor)
    __lshift__, __rlshift__ = both(operator.lshift)
    __rshift__, __rrshift__ = both(operator.rshift)
    __lt__, __le__ = comparison(operator.lt), comparison(operator.le)
    __gt__, __ge__ = comparison(operator.gt), comparison(operator.ge)
    __eq__, __ne__ = comparison(operator.eq), comparison(operator.ne)

    def __truediv__(self, other: Any) -> tensor:
        return divided(self, other)

    def __rtruediv__(self, other: Any) -> tensor:
        return divided(other, self)

    def __neg__(self) -> tensor:
        return tensor(-self.value)

    def __invert__(self) -> tensor:
        return tensor(~self.value)


class pointer:
    """Positions in a tensor. `elements`: flat view of its memory from the first element to the last."""

    def __init__(self, elements: torch.Tensor, offsets: torch.Tensor, name: str) -> None:
        self.elements, self.offsets, self.name = elements, offsets, name

    @classmethod
    def to_tensor(cls, value: torch.Tensor, name: str) -> pointer:
        """Returns a pointer to the first element."""
        reach = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride()))
        elements = torch.as_strided(value.detach(), (reach if value.numel() > 0 else 0,), (1,))
        return cls(elements, torch.tensor(0), name)

    @property
    def dtype(self) -> PointerType:
        """Type of the pointer, with the type of the elements."""
        return PointerType(OF_TORCH[self.elements.dtype])

    @property
    def shape(self) -> list[int]:
        """Sizes of the block of pointers."""
        return list(self.offsets.shape)

    def __getitem__(self, places: Any) -> pointer:
        return pointer(self.elements, tensor(self.offsets)[places].value, self.name)

    def __add__(self, other: Any) -> pointer:
        offset = operand(other, torch.int64)
        if not is_plain(other) and other.value.is_floating_point():
            raise TypeError("a pointer is moved by whole numbers")
        return pointer(self.elements, self.offsets + offset, self.name)

    __radd__ = __add__

    def __sub__(self, other: Any) -> pointer:
        return self + -other


class PointerType:
    """Type of pointers to elements of one type."""

    def __init__(self, element_ty: dtype) -> None:
        self.element_ty = element_ty


def scalar(value: bool | int | float) -> tensor:
    """Converts a number to a kernel's argument."""
    if isinstance(value, bool):
        return tensor(torch.tensor(value))
    if isinstance(value, float):
        return tensor(torch.tensor(value, dtype=torch.float32))
    return tensor(torch.tensor(value, dtype=torch.int32 if -(2**31) <= value < 2**31 else torch.int64))


def block(value: Any) -> tensor:
    """Converts a block or number to a block."""
    return scalar(value) if is_plain(value) else value


def sizes(shape: Sequence[int] | int) -> list[int]:
    """Returns the shape of a block. Raises unless its sizes are constants and powers of two."""
    found = [shape] if isinstance(shape, int) else list(shape)
    for size in found:
        if not isinstance(size, int):
            raise TypeError("the shape of a block is made of tl.constexpr")
        if size < 1 or size & (size - 1):
            raise ValueError(f"the sizes of a block are powers of two, not {size}")
    return found
