"""Loads and stores."""

from __future__ import annotations

from typing import Any

import torch

from .values import block, operand, pointer, tensor


def load(place: pointer, mask: Any = None, other: Any = None, **_: Any) -> tensor:
    """Reads elements. Masked ones are `other`; without `other`, NaN or the largest number."""
    kind = place.elements.dtype
    offsets, allowed = places(place, mask)
    if other is None:
        other = float("nan") if kind.is_floating_point else True if kind == torch.bool else torch.iinfo(kind).max
    found = operand(other, kind).broadcast_to(offsets.shape).clone()
    found[allowed] = place.elements[offsets[allowed]]
    return tensor(found)


def store(place: pointer, value: Any, mask: Any = None, **_: Any) -> None:
    """Writes elements, in the type of the tensor."""
    offsets, allowed = places(place, mask)
    written = operand(value, place.elements.dtype).broadcast_to(offsets.shape)
    place.elements[offsets[allowed]] = written[allowed]


def atomic_add(place: pointer, value: Any, mask: Any = None, **_: Any) -> tensor:
    """Adds to elements, repeatedly for repeated offsets. Returns the values before all additions."""
    before = load(place, mask, 0)
    offsets, allowed = places(place, mask)
    added = operand(value, place.elements.dtype).broadcast_to(offsets.shape)
    place.elements.index_put_((offsets[allowed],), added[allowed], accumulate=True)
    return before


def atomic_max(place: pointer, value: Any, mask: Any = None, **_: Any) -> tensor:
    """Replaces elements by larger values. Returns the values before."""
    return replaced(place, value, mask, max)


def atomic_min(place: pointer, value: Any, mask: Any = None, **_: Any) -> tensor:
    """Replaces elements by smaller values. Returns the values before."""
    return replaced(place, value, mask, min)


def replaced(place: pointer, value: Any, mask: Any, choose: Any) -> tensor:
    """Chooses between the stored element and a value, one element after the other. Returns the values before."""
    before = load(place, mask, 0)
    offsets, allowed = places(place, mask)
    values = operand(value, place.elements.dtype).broadcast_to(offsets.shape)
    for offset, one in zip(offsets[allowed].tolist(), values[allowed].tolist()):
        place.elements[offset] = choose(place.elements[offset].item(), one)
    return before


def places(place: pointer, mask: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns offsets and mask in one shape. Raises IndexError where an unmasked access is outside of the tensor."""
    if not isinstance(place, pointer):
        raise TypeError("load and store take a pointer")
    allowed = torch.tensor(True) if mask is None else block(mask).value.bool()
    offsets, allowed = torch.broadcast_tensors(place.offsets, allowed)
    outside = allowed & ((offsets < 0) | (offsets >= place.elements.numel()))
    if outside.any():
        count = place.elements.numel()
        raise IndexError(f"{place.name} has elements 0 to {count - 1}, and {int(offsets[outside][0])} is accessed")
    return offsets, allowed
