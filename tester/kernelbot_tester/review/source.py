"""A source as the rules see it: its nodes, the names that it uses in full, and its constant strings.

Nothing of it is imported or run. Every walk is bounded, since the source is hostile: a tree may be deep and wide, names
may be defined by each other, and a few characters may stand for a long string.
"""

from __future__ import annotations

import ast
import re
import time
from dataclasses import dataclass
from typing import Iterator

from ..texts import bounded
from .bindings import Scope, bind_names
from .finding import Finding
from .names import Names

#: Words and signs above which a source is not parsed, and seconds after which the review gives up. An ordinary
#: submission has some thousands and takes milliseconds; these many take half a second and 100 MB.
MAX_TOKENS = 100_000
MAX_S = 1.0
#: Characters of an excerpt, and of a name in a sentence.
EXCERPT_LENGTH = 160
NAME_LENGTH = 80

#: Roughly what the parser makes a node of.
TOKEN = re.compile(r"\w+|[^\w\s]")
#: Nodes that carry no place.
UNPLACED = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


class Unreadable(Exception):
    """The source is beyond the review's limits; the text says which."""


@dataclass(frozen=True)
class Use:
    """A place that uses a name."""

    node: ast.AST
    #: In full, as `torch.cuda.Stream`; empty where it is not known what stands before the dot.
    name: str
    #: What stands after the last dot, where there is one.
    attribute: str


class Source:
    """A parsed source. Raises SyntaxError or ValueError where Python would, and Unreadable."""

    def __init__(self, text: str) -> None:
        self.until = time.monotonic() + MAX_S
        if any(count > MAX_TOKENS for count, _ in enumerate(TOKEN.finditer(text), 1)):
            raise Unreadable(f"it has more than {MAX_TOKENS} words and signs")
        try:
            tree = ast.parse(text)
        except (RecursionError, MemoryError):
            raise Unreadable("it nests too deeply") from None
        self.lines = re.split("\r\n|\r|\n", text)
        self.nodes: list[ast.AST] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self.scopes: dict[ast.AST, Scope] = {}
        self._walk(tree)
        bind_names(self.each(), self.scopes)
        self.names = Names(self.scopes)
        self.docstrings = {
            node.value for node in self.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }

    def _walk(self, tree: ast.Module) -> None:
        """Lists the nodes in the order of the text, each with its parent and the function that it stands in."""
        module = Scope(None)
        waiting: list[tuple[ast.AST, Scope]] = [(tree, module)]
        while waiting:
            node, scope = waiting.pop()
            self.nodes.append(node)
            self.scopes[node] = scope
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                scope = Scope(scope)
            children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, UNPLACED)]
            self.parents.update((child, node) for child in children)
            waiting.extend((child, scope) for child in reversed(children))

    def each(self) -> Iterator[ast.AST]:
        """The nodes; raises Unreadable when the time is up."""
        for count, node in enumerate(self.nodes):
            if count % 1000 == 0 and time.monotonic() > self.until:
                raise Unreadable(f"it takes longer than {MAX_S:g} s")
            yield node

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Every call with the full name of what is called; empty where that is not known."""
        for node in self.each():
            if isinstance(node, ast.Call):
                yield node, self.names.full(node.func) or ""

    def strings(self) -> Iterator[tuple[ast.AST, str]]:
        """Every constant string that is no comment of its own, put together where it is in pieces."""
        for node in self.each():
            if not isinstance(node, (ast.Constant, ast.BinOp, ast.JoinedStr, ast.Call)) or node in self.docstrings:
                continue
            # Of a sum only the whole.
            inner = isinstance(node, ast.BinOp) and isinstance(self.parents.get(node), ast.BinOp)
            text = None if inner else self.names.string(node)
            if text is not None:
                yield node, text

    def uses(self) -> Iterator[Use]:
        """Every use of a name, imports among them."""
        for node in self.each():
            if isinstance(node, ast.Import):
                yield from (Use(node, alias.name, "") for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield from (Use(node, f"{node.module}.{alias.name}", "") for alias in node.names)
            elif isinstance(node, ast.Attribute):
                whole = not isinstance(self.parents.get(node), ast.Attribute)
                yield Use(node, (self.names.full(node) or "") if whole else "", node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield Use(node, self.names.full(node) or "", "")
            elif isinstance(node, (ast.Call, ast.Subscript)):
                # getattr(x, "name"), vars(x)["name"], sys.modules["x"] and the like.
                attribute = self.names.reached(node)
                if attribute is not None:
                    yield Use(node, self.names.full(node) or "", attribute)

    def finding(self, rule: str, severity: str, node: ast.AST, sentence: str, name: str = "") -> Finding:
        """A finding at a node; `{}` in the sentence stands for the name."""
        number = getattr(node, "lineno", 1)
        line = self.lines[number - 1] if number <= len(self.lines) else ""
        column = getattr(node, "col_offset", 0)
        if not line.isascii():
            # The parser counts bytes.
            column = len(line.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))
        start = 0 if len(line) <= EXCERPT_LENGTH else max(0, column - EXCERPT_LENGTH // 4)
        excerpt = line[start : start + EXCERPT_LENGTH].strip()
        said = sentence.format(bounded(name[:NAME_LENGTH]))
        return Finding(rule, severity, number, column + 1, said, bounded(excerpt))
