"""Layout of a kernel's input in memory that judge and worker share: the host's, and a device's where one exists.

A problem's `generate_input` returns nested tuples, lists and dicts of tensors and plain values. `describe` converts
them to a JSON document, the tree, in which each tensor is a slot of one of the memories; `rebuild` creates the input
from it.
"""

from __future__ import annotations

import copy
import enum
from collections import OrderedDict
from typing import Any, Callable, NamedTuple

import torch

from .protocol import Tree

#: Types that arrive as plain tuples, lists and dicts.
CONTAINERS = (tuple, torch.Size, list, dict, OrderedDict)
#: Tensors start at multiples of this many bytes, relative to each other.
ALIGNMENT = 4096
#: Alignment of tensors that kernels may rely on, in bytes. All tensors of a call are shifted by a random multiple of it,
#: which is less than `SHIFT_BYTES`.
PROMISED_ALIGNMENT, SHIFT_BYTES = 256, 256 << 10
#: Number of shifts of a case in a run. Few enough that an address occurs again with other inputs, also where a round has
#: only a few calls: a kernel that caches results by address must be found incorrect.
PLACEMENTS = 8


class Slot(NamedTuple):
    """Location of a tensor: `bytes` bytes from `offset` on, and its shape, dtype and strides (in elements)."""

    offset: int
    bytes: int
    shape: list[int]
    strides: list[int]
    dtype: str
    #: `host` or `device`.
    memory: str

    @staticmethod
    def of(tensor: torch.Tensor, offset: int, memory: str) -> "Slot":
        """Returns the slot of a tensor of this shape, strides and dtype at this offset."""
        extent = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
        if tensor.numel() == 0:
            extent = 0
        dtype = str(tensor.dtype).split(".")[1]
        return Slot(offset, extent * tensor.element_size(), list(tensor.shape), list(tensor.stride()), dtype, memory)

    def shifted(self, shift: int) -> "Slot":
        """Returns the slot moved by this many bytes."""
        return self._replace(offset=self.offset + shift)

    @property
    def end(self) -> int:
        """Next offset at which a tensor may start."""
        return -(-(self.offset + self.bytes) // ALIGNMENT) * ALIGNMENT

    def view(self, raw: torch.Tensor) -> torch.Tensor:
        """Returns the tensor as a view of its bytes, given as a tensor of uint8."""
        return raw.view(getattr(torch, self.dtype)).as_strided(self.shape, self.strides)


def in_host_memory(tensor: torch.Tensor) -> str | None:
    """Returns `host` for a tensor in host memory, else None."""
    return "host" if tensor.device.type == "cpu" else None


def describe(
    value: Any, memory_of: Callable[[torch.Tensor], str | None] = in_host_memory
) -> tuple[Tree, list[tuple[Slot, torch.Tensor]]]:
    """Returns the tree of an input, and its tensors in order with their slots. Raises TypeError for values that cannot
    be shared."""
    placed: list[tuple[Slot, torch.Tensor]] = []
    return _tree_of(value, memory_of, placed, {}), placed


# Not within `describe`: a nested function that calls itself, and all that it uses, is freed only by the next garbage
# collection, until which a problem's inputs took hundreds of megabytes of new memory.
def _tree_of(
    item: Any,
    memory_of: Callable[[torch.Tensor], str | None],
    placed: list[tuple[Slot, torch.Tensor]],
    ends: dict[str, int],
) -> Tree:
    """Returns the tree of a part of an input. Adds its tensors to `placed`. `ends`: where the next one starts in each
    memory."""
    if isinstance(item, torch.Tensor):
        memory = memory_of(item)
        if item.layout != torch.strided or memory is None:
            raise TypeError(f"a {item.layout} tensor on {item.device} cannot be handed to a worker")
        slot = Slot.of(item, ends.get(memory, 0), memory)
        placed.append((slot, item))
        ends[memory] = slot.end
        return {"tensor": list(slot)}
    if isinstance(item, (tuple, list, dict, enum.Enum)) and type(item) not in CONTAINERS:
        raise TypeError(
            f"a {type(item).__name__}, whose names and methods do not reach the kernel: return a plain tuple, list or dict"
        )
    if isinstance(item, (tuple, list)):
        inside = [_tree_of(inner, memory_of, placed, ends) for inner in item]
        return {"tuple" if isinstance(item, tuple) else "list": inside}
    if isinstance(item, dict):
        return {"dict": [[key, _tree_of(inner, memory_of, placed, ends)] for key, inner in item.items()]}
    if isinstance(item, torch.dtype):
        return {"dtype": str(item).split(".")[1]}
    if item is None or isinstance(item, (bool, int, float, str)):
        return {"value": item}
    raise TypeError(f"a value of type {type(item).__name__} cannot be handed to a worker")


def tensors_of(value: Any) -> list[torch.Tensor]:
    """Returns the tensors of an input in order, on any device."""
    if isinstance(value, torch.Tensor):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [tensor for item in inner for tensor in tensors_of(item)]


def clone(value: Any) -> Any:
    """Returns a copy of an input with its own tensors."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: clone(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        inner = [clone(one) for one in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return copy.copy(value)


def rebuild(tree: Tree, view: Callable[[Slot], torch.Tensor]) -> tuple[Any, list[torch.Tensor]]:
    """Returns the input that a tree describes, and its tensors in order."""
    tensors: list[torch.Tensor] = []
    return _rebuilt(tree, view, tensors), tensors


def _rebuilt(node: Tree, view: Callable[[Slot], torch.Tensor], tensors: list[torch.Tensor]) -> Any:
    """Returns the part of an input that a part of a tree describes. Adds its tensors to `tensors`."""
    ((kind, inner),) = node.items()
    if kind == "tensor":
        tensors.append(view(Slot(*inner)))
        return tensors[-1]
    if kind == "tuple":
        return tuple(_rebuilt(item, view, tensors) for item in inner)
    if kind == "list":
        return [_rebuilt(item, view, tensors) for item in inner]
    if kind == "dict":
        return {key: _rebuilt(item, view, tensors) for key, item in inner}
    return getattr(torch, inner) if kind == "dtype" else inner
