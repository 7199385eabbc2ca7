"""Checks that a problem's task.h fits the input that its `generate_input` returns."""

from __future__ import annotations

import json
from typing import Any, Mapping

import torch

from ..failures import NotJudged
from ..worker.layout import Slot, rebuild
from ..worker.protocol import Tree

INT64 = range(-(2**63), 2**63)


class Misfit(Exception):
    """The input does not fit the declared parameters; the message says where."""


class Signature:
    """The parameters of `custom_kernel`, as `kernelbot_signature` of worker/cpp/entry.cpp describes them."""

    def __init__(self, text: str) -> None:
        declaration = json.loads(text)
        self.parameters: list[Any] = declaration["parameters"]
        self.function: str = declaration["function"]

    def check(self, tree: Tree, outputs: int) -> None:
        """Raises Misfit when the input of this tree (worker/layout.py) does not fit the parameters."""
        ((kind, inner),) = tree.items()
        values = inner if kind in ("tuple", "list") else [tree]
        if len(values) != len(self.parameters):
            raise Misfit(f"{self.function} has {len(self.parameters)} parameters, the input has {len(values)}")
        tensors: list[tuple[str, bool]] = []
        for place, (declared, node) in enumerate(zip(self.parameters, values), 1):
            check(declared, node, f"parameter {place}", tensors)
        for where, writable in tensors[len(tensors) - outputs :]:
            if not writable:
                raise Misfit(f"{where} is an output buffer, so its elements may not be const")


def check_tensors(tree: Tree, outputs: int, signature: Signature | None) -> None:
    """Raises NotJudged where an input of this tree has fewer tensors than there are outputs, or does not fit the
    signature."""
    tensors = rebuild(tree, lambda slot: torch.empty(0))[1]
    if len(tensors) < outputs:
        raise NotJudged(f"the problem's generate_input returns {len(tensors)} tensors, not even the {outputs} outputs")
    if signature is not None:
        try:
            signature.check(tree, outputs)
        except Misfit as error:
            raise NotJudged(f"the problem's task.h does not fit its generate_input: {error}") from None


def check(declared: Any, node: Tree, where: str, tensors: list[tuple[str, bool]]) -> None:
    """Compares a type with a node. Appends each tensor, and whether it may be written, to `tensors`."""
    ((kind, inner),) = node.items()
    about: Any
    ((of, about),) = {declared: None}.items() if isinstance(declared, str) else declared.items()
    if of == "optional":
        if inner is None:
            return
        check(about, node, where, tensors)
    elif of == "tensor" and kind == "tensor":
        check_tensor(about, Slot(*inner), where)
        tensors.append((where, about[2]))
    elif of == "list" and kind in ("tuple", "list"):
        for place, item in enumerate(inner):
            check(about, item, f"{where}[{place}]", tensors)
    elif of == "tuple" and kind in ("tuple", "list"):
        if len(inner) != len(about):
            raise Misfit(f"{where} is a std::tuple of {len(about)}, the input has {len(inner)} values")
        for place, (item, part) in enumerate(zip(inner, about)):
            check(part, item, f"{where}[{place}]", tensors)
    elif of == "dict" and kind == "dict":
        check_dict(dict(about), inner, where, tensors)
    elif of != "dtype" or kind != "dtype":
        check_value(of, about, kind, inner, where)


def check_tensor(about: Any, slot: Slot, where: str) -> None:
    """Compares the dtype and the number of dimensions."""
    dtype, rank, _ = about
    if (slot.dtype, len(slot.shape)) != (dtype, rank):
        raise Misfit(
            f"{where} is a tensor of {dtype} with {rank} dimensions, the input has one of {slot.dtype} with "
            f"{len(slot.shape)}"
        )


def check_dict(fields: Mapping[str, Any], items: list[tuple[str, Tree]], where: str, tensors: list[tuple[str, bool]]) -> None:
    """Compares the keys with the fields of the struct, and each value with its type."""
    keys = [key for key, _ in items]
    if len(keys) != len(fields) or any(key not in fields for key in keys):
        raise Misfit(f"{where} has the fields {', '.join(fields)}, the input has the keys {', '.join(map(str, keys))}")
    for key, item in items:
        check(fields[key], item, f"{where}.{key}", tensors)


def check_value(of: str, about: Any, kind: str, value: Any, where: str) -> None:
    """Compares numbers, booleans and strings."""
    is_int = isinstance(value, int) and not isinstance(value, bool)
    fits = kind == "value" and {
        "bool": isinstance(value, bool),
        "int": is_int,
        "float": isinstance(value, float) or (is_int and value in INT64),
        "str": isinstance(value, str),
    }.get(of, False)
    if not fits:
        given = type(value).__name__ if kind == "value" else f"a {kind}"
        raise Misfit(f"{where} takes {of}, the input has {given}")
    if of == "int":
        bits, signed = about
        least, end = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
        if not least <= value < end or value not in INT64:
            raise Misfit(f"{where} is a whole number of {bits} bits, which {value} does not fit")
