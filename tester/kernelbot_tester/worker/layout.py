"""How the input of a kernel lies in shared memory.

A problem's `generate_input` gives nested tuples, lists and dicts of tensors and plain values. `describe` turns that
into a JSON document, the tree, in which each tensor is a slot of the arena; `rebuild` makes the input out of a tree.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import torch

#: Tensors start at multiples of this many bytes.
ALIGNMENT = 4096


class Slot(NamedTuple):
    """Where a tensor lies: `bytes` from `offset` on, and how to see it (strides in elements)."""

    offset: int
    bytes: int
    shape: list[int]
    strides: list[int]
    dtype: str

    @staticmethod
    def of(tensor: torch.Tensor, offset: int) -> "Slot":
        """The slot of a tensor of this shape, strides and dtype at this offset."""
        extent = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
        if tensor.numel() == 0:
            extent = 0
        dtype = str(tensor.dtype).split(".")[1]
        return Slot(offset, extent * tensor.element_size(), list(tensor.shape), list(tensor.stride()), dtype)

    @property
    def end(self) -> int:
        """The next offset where a tensor may start."""
        return -(-(self.offset + self.bytes) // ALIGNMENT) * ALIGNMENT

    def view(self, memory: Any) -> torch.Tensor:
        """The tensor itself, over a writable buffer that holds the arena. It keeps the buffer alive."""
        dtype = getattr(torch, self.dtype)
        if self.bytes == 0:
            return torch.empty_strided(self.shape, self.strides, dtype=dtype)
        raw = torch.frombuffer(memory, dtype=torch.uint8, count=self.bytes, offset=self.offset)
        return raw.view(dtype).as_strided(self.shape, self.strides)


def describe(value: Any) -> tuple[Any, list[tuple[Slot, torch.Tensor]]]:
    """The tree of an input, and its tensors in order with their slots. Raises TypeError for what cannot be shared."""
    placed: list[tuple[Slot, torch.Tensor]] = []

    def walk(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            if item.layout != torch.strided or item.device.type != "cpu":
                raise TypeError(f"a {item.layout} tensor on {item.device} cannot be handed to a worker")
            placed.append((Slot.of(item, placed[-1][0].end if placed else 0), item))
            return {"tensor": list(placed[-1][0])}
        if isinstance(item, (tuple, list)):
            return {"tuple" if isinstance(item, tuple) else "list": [walk(inner) for inner in item]}
        if isinstance(item, dict):
            return {"dict": [[key, walk(inner)] for key, inner in item.items()]}
        if isinstance(item, torch.dtype):
            return {"dtype": str(item).split(".")[1]}
        if item is None or isinstance(item, (bool, int, float, str)):
            return {"value": item}
        raise TypeError(f"a value of type {type(item).__name__} cannot be handed to a worker")

    return walk(value), placed


def tensors_of(value: Any) -> list[torch.Tensor]:
    """The tensors of an input in order, wherever they lie."""
    if isinstance(value, torch.Tensor):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [tensor for item in inner for tensor in tensors_of(item)]


def rebuild(tree: Any, view: Callable[[Slot], torch.Tensor]) -> tuple[Any, list[torch.Tensor]]:
    """The input that a tree describes, and its tensors in order."""
    tensors: list[torch.Tensor] = []

    def walk(node: dict[str, Any]) -> Any:
        ((kind, inner),) = node.items()
        if kind == "tensor":
            tensors.append(view(Slot(*inner)))
            return tensors[-1]
        if kind == "tuple":
            return tuple(walk(item) for item in inner)
        if kind == "list":
            return [walk(item) for item in inner]
        if kind == "dict":
            return {key: walk(item) for key, item in inner}
        return getattr(torch, inner) if kind == "dtype" else inner

    return walk(tree), tensors
