"""Cached results: caches by address or identity, results in globals, memoized kernels."""

from __future__ import annotations

import ast
from typing import Iterator

from ..bindings import Scope
from ..finding import ReviewFinding
from ..source import Source

MEMOIZERS = {"functools.lru_cache", "functools.cache"}
LOOK_UPS = {"get", "setdefault", "pop", "add"}
BY_PLACE = "Recognizes a tensor by {}; every call has new inputs, often at the same address."


def check(source: Source) -> Iterator[ReviewFinding]:
    """Finds keys by address or identity, results in globals, and memoized kernels."""
    yield from _keys(source)
    yield from _kept(source)
    for node in source.each():
        if isinstance(node, ast.FunctionDef) and node.name == "custom_kernel":
            for decorator in node.decorator_list:
                made = decorator.func if isinstance(decorator, ast.Call) else decorator
                if source.names.full(made) in MEMOIZERS:
                    sentence = "The kernel is memoized: it is not called again for an input that looks the same."
                    yield source.finding("cache.kernel", "suspicious", decorator, sentence)


def _keys(source: Source) -> Iterator[ReviewFinding]:
    """Finds `data_ptr()`, `id(...)` and `_version`, and names that contain them, used for a lookup or comparison."""
    keys: dict[tuple[Scope | None, str], str] = {}
    for node in source.each():
        if isinstance(node, ast.Assign):
            place = _place(source, node.value)
            if place is not None:
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        keys[_owner(source, target), target.id] = place
    for node in source.each():
        place = _place(source, node)
        if place is None and isinstance(node, ast.Name):
            place = keys.get((_owner(source, node), node.id))
        if place is not None and _is_key(source, node):
            yield source.finding("cache.pointer", "suspicious", node, BY_PLACE, place)


def _place(source: Source, node: ast.AST) -> str | None:
    """Returns which identifying property of a tensor the expression is (or contains, for a tuple), or None."""
    if isinstance(node, ast.Tuple):
        return next((place for place in (_place(source, part) for part in node.elts[:20]) if place is not None), None)
    if isinstance(node, ast.Attribute) and node.attr == "_version":
        return "its version counter"
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("data_ptr", "untyped_storage", "storage"):
            return "its address" if node.func.attr == "data_ptr" else None
        if source.names.full(node.func) == "builtins.id":
            return "its identity"
    return None


def _is_key(source: Source, node: ast.AST) -> bool:
    """Whether the value is used as a lookup key, or compared with a stored value. A comparison with a constant, such
    as of a remainder, does not count."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.Subscript):
        return parent.slice is node
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Attribute) and parent.func.attr in LOOK_UPS and node in parent.args
    if isinstance(parent, ast.Compare):
        others = [other for other in (parent.left, *parent.comparators[:20]) if other is not node]
        return not all(isinstance(other, ast.Constant) or _place(source, other) is not None for other in others)
    return False


def _kept(source: Source) -> Iterator[ReviewFinding]:
    """Finds globals that a function writes; the severity is higher where their content is returned as a result."""
    returned = _returned(source)
    for node in source.each():
        name = _kept_in(source, node)
        if name is None:
            continue
        if name in returned:
            sentence = "A value kept in {} across calls is returned as a result."
            yield source.finding("cache.result", "warning", node, sentence, name)
        else:
            yield source.finding("cache.state", "info", node, "Keeps {} across calls.", name)


def _returned(source: Source) -> set[str]:
    """Returns the globals whose content a function returns or copies into an output."""
    names: set[str] = set()
    for node in source.each():
        values: list[ast.expr] = []
        if isinstance(node, ast.Return) and node.value is not None and _function(source, node) == "custom_kernel":
            values = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "copy_":
            values = node.args
        elif isinstance(node, ast.Assign) and any(_is_whole(target) for target in node.targets):
            values = [node.value]
        for value in values:
            base = value.value if isinstance(value, ast.Subscript) else value
            if isinstance(base, ast.Call) and isinstance(base.func, ast.Attribute) and base.func.attr in LOOK_UPS:
                base = base.func.value
            if isinstance(base, ast.Name) and _is_global(source, base):
                names.add(base.id)
    return names


def _is_whole(target: ast.expr) -> bool:
    """Whether the target is `c[:]` or `c[...]`."""
    if not isinstance(target, ast.Subscript):
        return False
    part = target.slice
    return (isinstance(part, ast.Constant) and part.value is ...) or (
        isinstance(part, ast.Slice) and part.lower is None and part.upper is None
    )


def _kept_in(source: Source, node: ast.AST) -> str | None:
    """Returns the global that a node in a function writes, or writes into; else None."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in source.scopes[node].globals:
        return node.id
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
        return node.value.id if _is_global(source, node.value) else None
    return None


def _is_global(source: Source, node: ast.Name) -> bool:
    """Whether the name refers to a global in a function's code."""
    scope = source.scopes[node]
    return scope.outer is not None and _owner(source, node) is scope.module


def _owner(source: Source, node: ast.Name) -> Scope | None:
    return source.scopes[node].owner(node.id)


def _function(source: Source, node: ast.AST) -> str | None:
    """Returns the name of the function around a node, or None."""
    above = source.parents.get(node)
    while above is not None and not isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
        above = source.parents.get(above)
    return None if above is None else above.name
