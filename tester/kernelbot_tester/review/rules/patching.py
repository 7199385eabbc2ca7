"""Changes of objects that other code uses: attributes of imported modules, internals of functions, output streams,
tensor types."""

from __future__ import annotations

import ast
import sys
from typing import Iterator

from ..finding import ReviewFinding
from ..source import Source

#: Settings that frameworks intend to be assigned; settings that lower the precision have their own rule.
SETTINGS = ("backends", "config", "_inductor", "_dynamo")
STREAMS = {"sys.stdout", "sys.stderr", "sys.stdin", "sys.__stdout__", "sys.__stderr__"}
#: Attributes that define the behaviour of a function, class or closure.
INNARDS = {
    "__code__",
    "__globals__",
    "__closure__",
    "__defaults__",
    "__kwdefaults__",
    "cell_contents",
    "__class__",
    "__bases__",
}
SETTERS = {"builtins.setattr", "builtins.delattr", "builtins.object.__setattr__", "builtins.type.__setattr__"}
#: Modules whose entry in `sys.modules` must not be replaced by a module of the submission.
KNOWN_MODULES = sys.stdlib_module_names | {"torch", "numpy", "triton", "task", "utils", "reference"}
TENSORS = {"torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch._C._TensorBase"}
OVERRIDES = {"__torch_function__", "__torch_dispatch__"}

CHANGES = "Changes {}, which other code of the process relies on."


def check(source: Source) -> Iterator[ReviewFinding]:
    """Finds assignments, `setattr` and tensor subclasses."""
    for node in source.each():
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield from _stored(source, node)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if source.names.string_target(node) is not None or source.names.full(node.value) == "sys.modules":
                name = source.names.full(node)
                own = name is not None and source.names.full(node.value) == "sys.modules" and name not in KNOWN_MODULES
                severity = "warning" if own else "suspicious"
                yield source.finding("patch.module", severity, node, CHANGES, name or "sys.modules")
        elif isinstance(node, ast.ClassDef):
            yield from _subclass(source, node)
        elif isinstance(node, ast.Call):
            yield from _called(source, node)


def _stored(source: Source, node: ast.Attribute) -> Iterator[ReviewFinding]:
    name = source.names.full(node)
    if name in STREAMS:
        yield source.finding("channel.stdout", "suspicious", node, "Replaces {}, the output of the process.", name)
    elif node.attr in INNARDS:
        sentence = "Changes {} of an object, and with it the code of a function."
        yield source.finding("patch.function", "suspicious", node, sentence, node.attr)
    elif name is not None and not any(part in SETTINGS for part in name.split(".")):
        yield source.finding("patch.module", "suspicious", node, CHANGES, name)


def _called(source: Source, call: ast.Call) -> Iterator[ReviewFinding]:
    called = source.names.full(call.func) or ""
    if called in SETTERS and call.args:
        owner = source.names.full(call.args[0])
        if owner is not None and not any(part in SETTINGS for part in owner.split(".")):
            attribute = source.names.string(call.args[1]) if len(call.args) > 1 else None
            name = f"attributes of {owner}" if attribute is None else f"{owner}.{attribute}"
            yield source.finding("patch.module", "suspicious", call, CHANGES, name)
    elif called.startswith(("unittest.mock.", "mock.")):
        yield source.finding("patch.module", "suspicious", call, "{} replaces attributes of other code.", called)
    elif called.startswith("contextlib.redirect_std"):
        yield source.finding("channel.stdout", "warning", call, "{} redirects the output of the process.", called)
    elif called.endswith(".__dict__.update"):
        yield source.finding("patch.module", "suspicious", call, CHANGES, called[: -len(".__dict__.update")])


def _subclass(source: Source, node: ast.ClassDef) -> Iterator[ReviewFinding]:
    methods = {part.name for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))}
    if methods & OVERRIDES:
        sentence = "{} overrides operations on its tensors, so it may compute when a result is read."
        yield source.finding("patch.tensor", "suspicious", node, sentence, node.name)
    elif any(source.names.full(base) in TENSORS for base in node.bases):
        yield source.finding("patch.tensor", "warning", node, "{} is a subclass of tensor.", node.name)
