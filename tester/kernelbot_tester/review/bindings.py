"""Bindings of a source's names, function by function."""

from __future__ import annotations

import ast
from typing import Iterable, Union

#: A name is bound to an object with a full name, to the value of an expression, or (None) to something unknown.
Binding = Union[str, ast.expr, None]


class Scope:
    """The names of a module or a function; `outer` is the enclosing scope. Classes have no scope here."""

    def __init__(self, outer: "Scope | None") -> None:
        self.outer = outer
        self.bindings: dict[str, list[Binding]] = {}
        self.globals: set[str] = set()

    @property
    def module(self) -> "Scope":
        """The outermost scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope

    def owner(self, name: str) -> "Scope | None":
        """Returns the scope that binds the name for code in this one, or None."""
        scope: Scope | None = self.module if name in self.globals else self
        while scope is not None and name not in scope.bindings:
            scope = scope.outer
        return scope

    def bind(self, name: str, binding: Binding) -> None:
        """Adds a binding of a name."""
        scope = self.module if name in self.globals else self
        scope.bindings.setdefault(name, []).append(binding)


def bind_names(nodes: Iterable[ast.AST], scopes: dict[ast.AST, Scope]) -> None:
    """Fills the scopes with the bindings in the nodes."""
    nodes = list(nodes)
    for node in nodes:
        if isinstance(node, ast.Global):
            scopes[node].globals.update(node.names)
    for node in nodes:
        _bind(node, scopes[node])


def _bind(node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.split(".")[0]
            scope.bind(alias.asname or top, alias.name if alias.asname else top)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            known = node.module and not node.level
            scope.bind(alias.asname or alias.name, f"{node.module}.{alias.name}" if known else None)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            _assign(target, node.value, scope)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        _assign(node.target, node.value, scope)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        scope.bind(node.name, None)
    elif isinstance(node, ast.arguments):
        _parameters(node, scope)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        # A loop or `with`. After an assignment, which is bound above, it changes nothing.
        scope.bind(node.id, None)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        scope.bind(node.name, None)


def _assign(target: ast.expr, value: ast.expr, scope: Scope) -> None:
    if isinstance(target, ast.Name):
        scope.bind(target.id, value)
    elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        for one, other in zip(target.elts, value.elts):
            _assign(one, other, scope)


def _parameters(node: ast.arguments, scope: Scope) -> None:
    places = [*node.posonlyargs, *node.args]
    defaults: list[ast.expr | None] = [None] * (len(places) - len(node.defaults)) + list(node.defaults)
    for place, default in [*zip(places, defaults), *zip(node.kwonlyargs, node.kw_defaults)]:
        scope.bind(place.arg, default)
    for place in (node.vararg, node.kwarg):
        if place is not None:
            scope.bind(place.arg, None)
