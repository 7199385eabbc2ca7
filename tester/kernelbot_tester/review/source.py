"""A parsed source for the rules: its nodes, the full names that it uses, and its constant strings.

The source is never imported or run. Every pass is bounded, since the source is hostile: a tree may be deep and wide,
names may be defined by each other, and a few characters may expand to a long string.
"""

from __future__ import annotations

import ast
import re
import time
from dataclasses import dataclass
from typing import Iterator

from ..untrusted_text import bounded
from .bindings import Scope, bind_names
from .finding import ReviewFinding, Severity
from .names import Names

#: Maximum number of tokens of a source that is parsed, and limit of the review's processor time in seconds. An ordinary submission
#: has some thousands of tokens and takes milliseconds; this maximum takes half a second and 100 MB.
MAX_TOKENS = 100_000
MAX_S = 1.0
#: Maximum characters of an excerpt, and of a name in a sentence.
EXCERPT_LENGTH = 160
NAME_LENGTH = 80

#: Approximates the tokens from which the parser makes nodes.
TOKEN = re.compile(r"\w+|[^\w\s]")
#: Node types without a position.
UNPLACED = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


class Unreadable(Exception):
    """The source exceeds a limit of the review; the message says which."""


@dataclass(frozen=True)
class Use:
    """A use of a name."""

    node: ast.AST
    #: Full name, such as `torch.cuda.Stream`; empty where the object before the dot is unknown.
    name: str
    #: Name after the last dot; empty where there is none.
    attribute: str


class Source:
    """A parsed source. Raises SyntaxError or ValueError where Python would, and Unreadable."""

    def __init__(self, text: str) -> None:
        self.until = time.process_time() + MAX_S
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
        """Lists the nodes in source order, each with its parent and the scope of its function."""
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
        """Yields the nodes. Raises Unreadable when the time is up."""
        for count, node in enumerate(self.nodes):
            if count % 1000 == 0 and time.process_time() > self.until:
                raise Unreadable(f"it takes more than {MAX_S:g} s of processor time")
            yield node

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Yields every call with the full name of the called function; empty where it is unknown."""
        for node in self.each():
            if isinstance(node, ast.Call):
                yield node, self.names.full(node.func) or ""

    def strings(self) -> Iterator[tuple[ast.AST, str]]:
        """Yields every constant string except docstrings and string statements, with concatenations resolved."""
        for node in self.each():
            if not isinstance(node, (ast.Constant, ast.BinOp, ast.JoinedStr, ast.Call)) or node in self.docstrings:
                continue
            # Of nested concatenations only the outermost.
            inner = isinstance(node, ast.BinOp) and isinstance(self.parents.get(node), ast.BinOp)
            text = None if inner else self.names.string(node)
            if text is not None:
                yield node, text

    def uses(self) -> Iterator[Use]:
        """Yields every use of a name, including imports."""
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
                attribute = self.names.string_target(node)
                if attribute is not None:
                    yield Use(node, self.names.full(node) or "", attribute)

    def finding(self, rule: str, severity: Severity, node: ast.AST, sentence: str, name: str = "") -> ReviewFinding:
        """Returns a finding at a node; `{}` in the sentence is replaced by the name."""
        number = getattr(node, "lineno", 1)
        line = self.lines[number - 1] if number <= len(self.lines) else ""
        column = getattr(node, "col_offset", 0)
        if not line.isascii():
            # The parser counts columns in bytes.
            column = len(line.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))
        start = 0 if len(line) <= EXCERPT_LENGTH else max(0, column - EXCERPT_LENGTH // 4)
        excerpt = line[start : start + EXCERPT_LENGTH].strip()
        message = sentence.format(bounded(name[:NAME_LENGTH]))
        return ReviewFinding(rule, severity, number, column + 1, message, bounded(excerpt))
