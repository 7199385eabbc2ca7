"""Reduces the sizes in a problem's file, so that it runs on a processor.

Sizes are whole numbers that module-level assignments name (`batch_size = 4096`), and literals in `get_inputs` and
`get_init_inputs`. Model and inputs read the same names, so they stay consistent; where they do not, the trial fails
and the next step follows. Inputs that are created on a GPU by name are created on the processor instead: the judge
moves them to its device.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Iterator, NamedTuple

BATCH = re.compile(r"batch|num_samples|^(b|bs)$", re.IGNORECASE)
SPATIAL = re.compile(
    r"height|width|depth|length|seq|image|spatial|resolution|^(h|w|d|l|s|t|m|n|k|size|dims?|dim\d|input_shape|get_inputs)$",
    re.IGNORECASE,
)
#: Divisors of each step: for spatial sizes, for all other sizes of at least the third number, and that number.
STEPS = ((1, 1, 0), (4, 1, 0), (4, 4, 256), (16, 16, 256), (16, 16, 64), (32, 64, 128), (64, 256, 64))
#: Divisors of the last steps for all large sizes, batches included, for models in which they are related.
ALIKE = (16, 64, 256)
#: Lower limit of reduced sizes.
SMALLEST = 8
#: Smaller literals in a function are not sizes, but axes or numbers of classes.
LITERAL = 64
#: Functions that return the inputs and the model's arguments.
MAKERS = ("get_inputs", "get_init_inputs")
#: Reduced sizes by name, as original and new value.
Shrunk = dict[str, tuple[float, float]]


class Place(NamedTuple):
    """Position in the bytes of a source's lines."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Size:
    """A whole number in the source: its name and position."""

    name: str
    value: int
    place: Place


def sizes_of(source: str) -> list[Size]:
    """Returns the sizes of a file in order. Raises SyntaxError."""
    sizes: list[Size] = []
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign):
            # `height = width = 64` is one number, under its first name.
            sizes += assigned(statement.targets[0], statement.value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            sizes += assigned(statement.target, statement.value)
        elif isinstance(statement, ast.FunctionDef) and statement.name in MAKERS:
            sizes += [size for size in sizes_in(statement, statement.name) if size.value >= LITERAL]
    return sizes


def assigned(target: ast.expr, value: ast.expr) -> Iterator[Size]:
    """Yields the sizes that an assignment names."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, other in zip(target.elts, value.elts):
            yield from assigned(one, other)
    elif isinstance(target, ast.Name):
        yield from sizes_in(value, target.id)


def sizes_in(node: ast.AST, name: str) -> Iterator[Size]:
    """Yields the whole numbers in an expression; all have the same name."""
    value = whole_number(node)
    if value is not None and isinstance(node, ast.expr):
        yield Size(name, value, place_of(node))
        return
    for inner in ast.iter_child_nodes(node):
        yield from sizes_in(inner, name)


def place_of(node: ast.expr) -> Place:
    """Returns the position of an expression."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    return Place(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def whole_number(node: ast.AST) -> int | None:
    """Returns the value of an expression of whole numbers, such as `4 * 1024` and `2**20`, or None."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Pow)):
        left, right = whole_number(node.left), whole_number(node.right)
        if left is None or right is None or isinstance(node.op, ast.Pow) and not 0 <= right <= 64:
            return None
        return left * right if isinstance(node.op, ast.Mult) else left**right
    return None


def variants(source: str) -> Iterator[tuple[str, Shrunk]]:
    """Yields the source on the processor, then with sizes reduced step by step: the text, and which sizes were
    changed."""
    source = on_processor(source)
    yield source, {}
    sizes = sizes_of(source)
    seen = {source}
    steps = [[(size, smaller(size, *step)) for size in sizes] for step in STEPS]
    for divisor in ALIKE:
        steps.append([(size, max(SMALLEST, size.value // divisor) if size.value >= LITERAL else size.value) for size in sizes])
    for changes in steps:
        text = replaced(source, changes)
        if text not in seen:
            seen.add(text)
            yield text, named(changes)


def on_processor(source: str) -> str:
    """Returns the source without `device="cuda"` where inputs are created. Raises SyntaxError."""
    makers = [one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef) and one.name in MAKERS]
    devices = [word.value for maker in makers for word in ast.walk(maker) if isinstance(word, ast.keyword) and word.arg == "device"]
    return rewritten(source, [(place_of(device), '"cpu"') for device in devices if isinstance(device, ast.Constant)])


def smaller(size: Size, spatial: int, other: int, at_least: int) -> int:
    """Returns a size after a step. Equal sizes of one kind stay equal."""
    if BATCH.search(size.name) and not SPATIAL.search(size.name):
        return min(size.value, 2)
    if SPATIAL.search(size.name) and size.value >= 2 * SMALLEST:
        return max(SMALLEST, size.value // max(spatial, other if size.value >= at_least > 0 else 1))
    if at_least > 0 and size.value >= at_least:
        return max(SMALLEST, size.value // other)
    return size.value


def replaced(source: str, changes: list[tuple[Size, int]]) -> str:
    """Returns the source with other numbers at these positions."""
    return rewritten(source, [(size.place, str(value)) for size, value in changes if value != size.value])


def rewritten(source: str, changes: list[tuple[Place, str]]) -> str:
    """Returns the source with other text at these positions."""
    lines = source.encode().splitlines(keepends=True)
    for place, text in sorted(changes, reverse=True):
        if place.line == place.end_line:
            line = lines[place.line - 1]
            lines[place.line - 1] = line[: place.column] + text.encode() + line[place.end_column :]
    return b"".join(lines).decode()


def named(changes: list[tuple[Size, int]]) -> Shrunk:
    """Returns the changes by name; repeated names are numbered: `layer_sizes`, `layer_sizes 2`."""
    found: Shrunk = {}
    for size, value in changes:
        if value != size.value:
            name, number = size.name, 1
            while name in found:
                number += 1
                name = f"{size.name} {number}"
            found[name] = (size.value, value)
    return found
