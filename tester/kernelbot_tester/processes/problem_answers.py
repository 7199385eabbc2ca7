"""Strict parsers of the problem process's answers: its code may have taken over the process, so every value is checked
before the judge uses it."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, TypeVar

import torch

from ..failures import NotJudged
from ..problem.compare import PLACES, Mismatch
from ..problem.problem import OutputDifference
from ..untrusted_text import bounded
from ..worker.layout import ALIGNMENT, Slot
from ..worker.protocol import Tree

#: Maximum number of dimensions of a tensor, of nested containers, of elements in one dimension and of tensors of an
#: input.
DIMENSIONS, DEPTH, MOST_ELEMENTS, TENSORS = 64, 100, 1 << 48, 4096
#: Maximum length of a message in characters.
MESSAGE = 4_000
#: Range of integers among plain values.
PLAIN_INT = range(-(1 << 127), 1 << 127)

Parsed = TypeVar("Parsed")


class Malformed(Exception):
    """An answer that a correct problem process never gives; the message says which value is wrong."""


def parsed_answer(parse: Callable[[], Parsed]) -> Parsed:
    """Returns the result of a parser. Raises NotJudged where the answer is malformed."""
    try:
        return parse()
    except Malformed as error:
        raise NotJudged(f"the problem's code gave an answer that is not valid: {error}") from None


def parse_tree(tree: Any, memories: tuple[str, ...]) -> tuple[Tree, dict[str, int]]:
    """Parses the tree of an input (worker/layout.py) whose tensors are in these memories. Returns it with the bytes
    that it needs of each. Raises Malformed."""
    ends: dict[str, int] = {}
    count = 0

    def walk(node: Any, depth: int) -> Tree:
        nonlocal count
        if not isinstance(node, dict) or len(node) != 1 or depth > DEPTH:
            raise Malformed("a node of the input's tree is not an object of one entry")
        ((kind, inner),) = node.items()
        if kind == "tensor":
            count += 1
            if count > TENSORS:
                raise Malformed(f"the input has more than {TENSORS} tensors")
            return {"tensor": list(parse_slot(inner, memories, ends))}
        if kind in ("tuple", "list") and isinstance(inner, list):
            return {kind: [walk(item, depth + 1) for item in inner]}
        if kind == "dict" and isinstance(inner, list):
            return {"dict": [parse_entry(item, lambda value: walk(value, depth + 1)) for item in inner]}
        if kind == "dtype" and isinstance(inner, str) and dtype_named(inner) is not None:
            return {"dtype": inner}
        if kind == "value" and is_plain(inner):
            return {"value": inner}
        raise Malformed(f"a node of the input's tree is of kind {bounded(repr(kind), 100)} with an unexpected content")

    return walk(tree, 0), ends


def parse_entry(item: Any, value_of: Callable[[Any], Tree]) -> list[Any]:
    """Parses an entry of a dictionary."""
    if not isinstance(item, list) or len(item) != 2 or not is_plain(item[0]):
        raise Malformed("an entry of a dictionary of the input is not a key and a value")
    return [item[0], value_of(item[1])]


def is_plain(value: Any) -> bool:
    """Whether the value may occur in an input next to tensors."""
    if isinstance(value, int):
        return isinstance(value, bool) or value in PLAIN_INT
    return value is None or isinstance(value, (float, str))


def parse_slot(values: Any, memories: tuple[str, ...], ends: dict[str, int]) -> Slot:
    """Parses the slot of the next tensor. Its offset follows from the tensors before it, whose ends are in `ends`.
    Raises Malformed."""
    if not isinstance(values, list) or len(values) != len(Slot._fields):
        raise Malformed("a tensor of the input is not described by six values")
    slot = Slot(*values)
    dtype = dtype_named(slot.dtype)
    if dtype is None:
        raise Malformed(f"a tensor of the input has the dtype {bounded(repr(slot.dtype), 100)}")
    if slot.memory not in memories:
        raise Malformed(f"a tensor of the input lies in the memory {bounded(repr(slot.memory), 100)}")
    if not is_shape(slot.shape) or not is_shape(slot.strides) or len(slot.shape) != len(slot.strides):
        raise Malformed("a tensor of the input has no valid shape and strides")
    extent = 0 if 0 in slot.shape else 1 + sum((size - 1) * step for size, step in zip(slot.shape, slot.strides))
    if math.prod(slot.shape) > MOST_ELEMENTS or extent > MOST_ELEMENTS:
        raise Malformed(f"a tensor of the input has more than {MOST_ELEMENTS} elements")
    if (slot.offset, slot.bytes) != (ends.get(slot.memory, 0), extent * element_size(dtype)):
        raise Malformed("a tensor of the input does not lie where its shape puts it")
    assert slot.end % ALIGNMENT == 0
    ends[slot.memory] = slot.end
    return slot


def is_shape(value: Any) -> bool:
    """Whether the value is a valid list of sizes or strides."""
    return (
        isinstance(value, list)
        and len(value) <= DIMENSIONS
        and all(type(one) is int and 0 <= one <= MOST_ELEMENTS for one in value)
    )


def dtype_named(name: Any) -> torch.dtype | None:
    """Returns PyTorch's dtype of this name, or None."""
    found = getattr(torch, name, None) if isinstance(name, str) and name.isidentifier() else None
    return found if isinstance(found, torch.dtype) else None


@functools.cache
def element_size(dtype: torch.dtype) -> int:
    """Returns the size of an element in bytes."""
    return torch.empty(0, dtype=dtype).element_size()


def parse_sentence(value: Any) -> str | None:
    """Parses a sentence, or None. Raises Malformed."""
    if value is None or isinstance(value, str):
        return None if value is None else bounded(value, MESSAGE)
    raise Malformed("a sentence is not a text")


def parse_difference(value: Any) -> OutputDifference | None:
    """Parses a difference. Raises Malformed."""
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("message"), str):
        raise Malformed("a difference has no message")
    if not isinstance(value.get("isAccepted"), bool):
        raise Malformed("a difference does not say whether the output is accepted")
    mismatch = parse_mismatch(value.get("mismatch"))
    if value["isAccepted"] and mismatch is None:
        raise Malformed("an accepted output has no mismatch")
    return OutputDifference(bounded(value["message"], MESSAGE), mismatch, value["isAccepted"])


def parse_mismatch(value: Any) -> Mismatch | None:
    """Parses a mismatch. Raises Malformed."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise Malformed("a mismatch is not an object")
    counts = [value.get(name) for name in ("differing", "total")]
    if any(type(one) is not int or not 0 <= one <= MOST_ELEMENTS for one in counts):
        raise Malformed("a mismatch has no valid counts")
    errors = [value.get(name) for name in ("largestAbsolute", "largestRelative")]
    if any(one is not None and not is_number(one) for one in errors):
        raise Malformed("a mismatch has errors that are not finite numbers")
    places = value.get("first")
    if not isinstance(places, list) or len(places) > PLACES:
        raise Malformed("a mismatch does not list its first elements")
    return Mismatch(*counts, *errors, [parse_place(one) for one in places])  # type: ignore[arg-type]


def parse_place(value: Any) -> tuple[list[int], str, str]:
    """Parses a differing element. Raises Malformed."""
    if not isinstance(value, dict) or not is_shape(value.get("index")):
        raise Malformed("an element of a mismatch has no index")
    got, expected = value.get("got"), value.get("expected")
    if not isinstance(got, str) or not isinstance(expected, str):
        raise Malformed("an element of a mismatch has no values")
    return value["index"], bounded(got, 60), bounded(expected, 60)


def is_number(value: Any) -> bool:
    """Whether the value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e308 <= value <= 1e308


def parse_amount(value: Any) -> float | None:
    """Parses a number of bytes, operations or seconds, or None. Raises Malformed."""
    if value is None or (is_number(value) and value >= 0):
        return value
    raise Malformed("an amount is not a finite number of at least 0")
