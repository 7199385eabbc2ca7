"""Impersonating the judge: foreign file descriptors, redirected output, printed verdicts."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from ..finding import ReviewFinding
from ..listed import Listed, words
from ..source import Source

LISTED = (
    Listed(
        "channel.descriptor",
        "suspicious",
        "{} works on open file descriptors; a kernel that searches for the channel of results would do so.",
        words(
            "os.write os.writev os.pwrite os.fdopen os.dup os.dup2 os.set_inheritable os.sendfile os.splice"
            " posix.write posix.dup2 fcntl.fcntl socket.fromfd"
        ),
    ),
    Listed(
        "channel.exit",
        "suspicious",
        "{} ends or signals processes, which skips all later steps.",
        words("os._exit os.abort os.kill os.killpg signal.raise_signal posix._exit"),
    ),
    Listed(
        "channel.hooks",
        "warning",
        "{} lets code run outside of the kernel's calls.",
        words(
            "atexit signal.signal signal.setitimer signal.alarm sys.settrace sys.setprofile sys.monitoring"
            " sys.addaudithook threading.settrace threading.setprofile sys.excepthook sys.unraisablehook sys.meta_path"
            " sys.path_hooks weakref.finalize"
        ),
    ),
)

#: Words in the reports of harnesses. Output of a kernel is shown to people and never parsed as a result.
RESULT = re.compile(
    r"(?:^|[\s\"'])(?:check\s*:|(?:test|benchmark)-count\s*:|(?:test|benchmark)\.\d+\.|POPCORN_FD\b|speedup\s*[:=])"
    r"|\bverdict\b|\bstage_finished\b|\bcase_finished\b",
    re.IGNORECASE,
)
PRINTERS = {"builtins.print", "os.write", "sys.stdout.write", "sys.stderr.write", "sys.__stdout__.write"}


def check(source: Source) -> Iterator[ReviewFinding]:
    """Finds printed text that looks like a result."""
    for call, name in source.calls():
        is_write = isinstance(call.func, ast.Attribute) and call.func.attr in ("write", "writelines")
        if name not in PRINTERS and not is_write:
            continue
        texts = [text for text in (source.names.string(part) for part in _parts(call)) if text is not None]
        if RESULT.search("\n".join(texts)):
            sentence = "Prints text in the form of a judge's result; output of kernels is never read as a result."
            yield source.finding("channel.result_text", "suspicious", call, sentence)


def _parts(call: ast.Call) -> Iterator[ast.AST]:
    """Yields the expressions in the arguments of a call, including nested calls."""
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        for count, node in enumerate(ast.walk(argument)):
            if count > 200:
                break
            yield node
