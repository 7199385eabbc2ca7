"""Parses the code of FlashInfer Trace definitions without running it: `python3 -m kernelbot_tester.definition_facts`.

Reads `{"reference": ..., "constraints": [...]}` and writes the facts (core's `DefinitionFacts`), one JSON document a line."""

from __future__ import annotations

import ast
import json
import sys
from typing import Iterator, TypedDict

#: Modules of the judge that are not part of Python.
AVAILABLE = {"torch", "numpy"}


class FunctionFacts(TypedDict):
    """Number of positional arguments that a function requires, and that it takes at most; None: any number."""

    required: int
    most: int | None


class Facts(TypedDict):
    """Core's `DefinitionFacts`."""

    error: str | None
    functions: dict[str, FunctionFacts]
    modules: list[str]
    devices: list[str]
    constraints: list[int]


def facts_of(reference: str, constraints: list[str]) -> Facts:
    """Returns what the code says."""
    faulty = [index for index, text in enumerate(constraints) if not is_expression(text)]
    try:
        tree = ast.parse(reference)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        message = getattr(error, "msg", None) or str(error)
        place = "" if line is None else f" in line {line}"
        return {"error": f"is not Python: {message}{place}", "functions": {}, "modules": [], "devices": [], "constraints": faulty}
    functions = {node.name: arguments_of(node.args) for node in tree.body if isinstance(node, ast.FunctionDef)}
    modules = sorted(set(required_modules(tree)) - AVAILABLE - set(sys.stdlib_module_names))
    return {
        "error": None,
        "functions": functions,
        "modules": modules,
        "devices": sorted(set(devices_in(tree))),
        "constraints": faulty,
    }


def is_expression(text: str) -> bool:
    """Whether the text is a Python expression."""
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def arguments_of(arguments: ast.arguments) -> FunctionFacts:
    """Returns how many positional arguments a function takes."""
    most = len(arguments.posonlyargs) + len(arguments.args)
    return {"required": most - len(arguments.defaults), "most": None if arguments.vararg else most}


def required_modules(tree: ast.AST) -> Iterator[str]:
    """Yields the modules that are imported, unless in a `try`, where their absence may be foreseen."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or ".").partition(".")[0] if node.level == 0 else "."
        elif not isinstance(node, ast.Try):
            yield from required_modules(node)


def devices_in(tree: ast.AST) -> Iterator[str]:
    """Yields what needs an accelerator: its name as an argument, or a method that moves to it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value.partition(":")[0] == "cuda":
                yield json.dumps(value.value)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
            yield ".cuda()"


def main() -> None:
    """Answers each line of standard input."""
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(facts_of(request["reference"], request["constraints"])), flush=True)


if __name__ == "__main__":
    main()
