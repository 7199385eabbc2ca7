"""Code that a reader of the source does not see: created at run time, decoded from data, or accessed by concatenated
names."""

from __future__ import annotations

import ast
from typing import Iterator

from ..finding import ReviewFinding
from ..listed import Listed, words
from ..names import GETTERS, IMPORTS
from ..source import Source

LISTED = (
    Listed(
        "code.decoded",
        "warning",
        "{} turns data into text or code that a reader of the source does not see.",
        words(
            "base64 binascii.unhexlify binascii.a2b_base64 binascii.a2b_hex codecs.decode zlib.decompress"
            " bz2.decompress lzma.decompress gzip.decompress marshal builtins.bytes.fromhex builtins.bytearray.fromhex"
            " types.CodeType types.FunctionType"
        ),
    ),
    Listed(
        "code.builtins",
        "suspicious",
        "{} accesses internals of Python's built-in names.",
        words("builtins.__builtins__"),
        words("__builtins__ __globals__ __getattribute__ __mro__"),
    ),
)

RUNNERS = {"builtins.exec", "builtins.eval", "builtins.compile", "code.InteractiveInterpreter", "runpy.run_path"}


def check(source: Source) -> Iterator[ReviewFinding]:
    """Finds code from strings, and names that are computed."""
    for call, called in source.calls():
        if called in RUNNERS:
            if call.args and source.names.string(call.args[0]) is not None:
                yield source.finding("code.dynamic", "warning", call, "{} runs code from a string.", called)
            else:
                sentence = "{} runs code that is not in the source."
                yield source.finding("code.dynamic", "suspicious", call, sentence, called)
        elif called in IMPORTS and call.args:
            yield from _named(source, call, call.args[0], "Imports a module")
        elif called in GETTERS and len(call.args) > 1 and source.names.full(call.args[0]) is not None:
            yield from _named(source, call, call.args[1], "Takes an attribute of a module")


def _named(source: Source, call: ast.Call, name: ast.expr, what: str) -> Iterator[ReviewFinding]:
    """Yields a finding unless the name is a literal."""
    if isinstance(name, ast.Constant):
        return
    text = source.names.string(name)
    if text is None:
        sentence = f"{what} whose name is computed at run time."
        yield source.finding("code.computed_name", "warning", call, sentence)
    elif not isinstance(name, ast.Name):
        sentence = f"{what} by a name in pieces: " + "{}."
        yield source.finding("code.hidden_name", "suspicious", call, sentence, text)
