"""Resolves expressions to full names and constant strings, through imports, aliases and common indirections.

`import time as t`, `clock = t.perf_counter`, `getattr(t, "perf_" + "counter")`, `vars(t)["perf_counter"]`,
`__import__("time")`, `sys.modules["time"]`: all of these are resolved to names in `time`.
"""

from __future__ import annotations

import ast
import builtins
from typing import Callable

from .bindings import Binding, Scope

#: Maximum number of resolution steps for an expression, and maximum characters of a string and of a name.
MAX_STEPS = 60
MAX_LENGTH = 20_000
MAX_NAME_LENGTH = 300

BUILTINS = frozenset(dir(builtins)) | {"__builtins__"}
IMPORTS = {"builtins.__import__", "importlib.import_module", "importlib.__import__"}
GETTERS = {"builtins.getattr", "builtins.object.__getattribute__", "builtins.type.__getattribute__"}


class Names:
    """Resolver for the expressions of one source."""

    def __init__(self, scopes: dict[ast.AST, Scope]) -> None:
        self.scopes = scopes
        #: Results of `full` for expressions, with the steps that were left for them.
        self.known_values: dict[ast.AST, tuple[int, str | None]] = {}
        self.known_names: dict[tuple[Scope, str], str | None] = {}
        self.known_strings: dict[tuple[Scope, str], str | None] = {}

    def full(self, node: ast.AST, steps: int = MAX_STEPS) -> str | None:
        """Returns the full name of an expression's value, or None where it is unknown."""
        if steps == 0:
            return None
        # A subscript reads its value twice: without these, each level of `f(a)[0](a)[0]` would double the time.
        known_steps, known = self.known_values.get(node, (0, None))
        if known is None and known_steps < steps:
            known = self._full(node, steps)
            self.known_values[node] = steps, known
        return known

    def _full(self, node: ast.AST, steps: int) -> str | None:
        if isinstance(node, ast.Name):
            return self._name(node, steps)
        if isinstance(node, ast.Attribute):
            return self._member(node.value, node.attr, steps)
        if isinstance(node, ast.Call) and node.args:
            called = self.full(node.func, steps - 1)
            if called in IMPORTS:
                return self.string(node.args[0], steps - 1)
            if called in GETTERS and len(node.args) > 1:
                return self._member(node.args[0], self.string(node.args[1], steps - 1), steps)
        if isinstance(node, ast.Subscript):
            owner = self._namespace(node.value, steps - 1)
            if owner is not None:
                return self._member(owner, self.string(node.slice, steps - 1), steps)
            if self.full(node.value, steps - 1) == "sys.modules":
                return self.string(node.slice, steps - 1)
        return None

    def string_target(self, node: ast.Call | ast.Subscript) -> str | None:
        """Returns the name that is passed as a string: the attribute of `getattr(x, "name")`, the module of
        `__import__("name")`; else None."""
        if isinstance(node, ast.Subscript):
            if self._namespace(node.value, MAX_STEPS) is None and self.full(node.value) != "sys.modules":
                return None
            return self.string(node.slice)
        called = self.full(node.func)
        if called in IMPORTS and node.args:
            return self.string(node.args[0])
        if called in GETTERS and len(node.args) > 1:
            return self.string(node.args[1])
        return None

    def string(self, node: ast.AST, steps: int = MAX_STEPS) -> str | None:
        """Returns the constant string value of an expression, or None."""
        if steps == 0:
            return None
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bytes):
                return node.value.decode("latin-1")
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self._look_up(node, self.known_strings, lambda bound: self._bound_string(bound, steps))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left = self.string(node.left, steps - 1)
            return None if left is None else self._joined("", [left, self.string(node.right, steps - 1)])
        if isinstance(node, ast.JoinedStr):
            values = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
            return self._joined("", [self.string(value, steps - 1) for value in values])
        if isinstance(node, ast.Subscript) and _reverses(node.slice):
            text = self.string(node.value, steps - 1)
            return None if text is None else text[::-1]
        if isinstance(node, ast.Call) and len(node.args) == 1:
            return self._called_string(node, steps)
        return None

    def _called_string(self, node: ast.Call, steps: int) -> str | None:
        """Returns the value of `"".join([...])` and `chr(...)`, or None."""
        (argument,) = node.args
        if isinstance(node.func, ast.Attribute) and node.func.attr == "join":
            glue = self.string(node.func.value, steps - 1)
            if glue is not None and isinstance(argument, (ast.List, ast.Tuple)):
                return self._joined(glue, [self.string(part, steps - 1) for part in argument.elts])
        if isinstance(argument, ast.Constant) and isinstance(argument.value, int):
            if self.full(node.func, steps - 1) == "builtins.chr" and 0 <= argument.value < 0x110000:
                return chr(argument.value)
        return None

    def _joined(self, glue: str, parts: list[str | None]) -> str | None:
        texts = [part for part in parts if part is not None]
        if len(texts) < len(parts) or sum(map(len, texts)) + len(glue) * len(texts) > MAX_LENGTH:
            return None
        return glue.join(texts)

    def _member(self, owner: ast.AST, attribute: str | None, steps: int) -> str | None:
        base = self.full(owner, steps - 1)
        if base is None or attribute is None:
            return None
        if base in ("builtins.__builtins__", "builtins.builtins"):
            base = "builtins"
        whole = f"{base}.{attribute}"
        return whole if len(whole) <= MAX_NAME_LENGTH else None

    def _namespace(self, node: ast.AST, steps: int) -> ast.AST | None:
        """Returns `x` of `vars(x)` and `x.__dict__`; `__builtins__` itself, which is a dictionary in an imported
        module; else None."""
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            return node.value
        if isinstance(node, ast.Call) and len(node.args) == 1 and self.full(node.func, steps) == "builtins.vars":
            return node.args[0]
        if isinstance(node, ast.Name) and node.id == "__builtins__":
            return node
        return None

    def _name(self, node: ast.Name, steps: int) -> str | None:
        if node.id in BUILTINS and self.scopes[node].owner(node.id) is None:
            return f"builtins.{node.id}"
        return self._look_up(node, self.known_names, lambda bound: self._bound_name(bound, steps))

    def _bound_name(self, bound: Binding, steps: int) -> str | None:
        return bound if isinstance(bound, str) or bound is None else self.full(bound, steps - 1)

    def _bound_string(self, bound: Binding, steps: int) -> str | None:
        return None if isinstance(bound, str) or bound is None else self.string(bound, steps - 1)

    def _look_up(
        self, node: ast.Name, known: dict[tuple[Scope, str], str | None], follow: Callable[[Binding], str | None]
    ) -> str | None:
        """Returns the first binding that can be resolved. Each name is resolved once, so cycles end."""
        scope = self.scopes[node].owner(node.id)
        if scope is None:
            return None
        key = (scope, node.id)
        if key not in known:
            known[key] = None
            known[key] = next((found for found in map(follow, scope.bindings[node.id]) if found is not None), None)
        return known[key]


def _reverses(node: ast.expr) -> bool:
    """Whether it is the slice `::-1`."""
    return (
        isinstance(node, ast.Slice)
        and node.lower is None
        and node.upper is None
        and isinstance(node.step, ast.UnaryOp)
        and isinstance(node.step.op, ast.USub)
        and isinstance(node.step.operand, ast.Constant)
        and node.step.operand.value == 1
    )
