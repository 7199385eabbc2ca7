"""C++ and CUDA code in strings, which is compiled at run time. Searched by regular expressions: no parser for it
exists here."""

from __future__ import annotations

import re
from typing import Iterator

from ..finding import ReviewFinding, Severity
from ..source import Source

#: Tells native code from other strings.
NATIVE = re.compile(r"#\s*include\b|__global__\b|extern\s+\"C\"")
#: A comment that is not closed ends with the string, so that each character is read once.
COMMENTS = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)

RULES: tuple[tuple[str, Severity, str, re.Pattern[str]], ...] = (
    (
        "native.process",
        "suspicious",
        "{} in native code accesses memory or processes other than the kernel's.",
        re.compile(
            r"\b(?:ptrace|process_vm_readv|process_vm_writev|mprotect|dlsym|dlopen|getenv|secure_getenv|dup2|fork|"
            r"vfork|execve|_exit|sigaction|syscall|POPCORN_FD)\b|/proc/"
        ),
    ),
    (
        "native.clock",
        "warning",
        "{} in native code reads or replaces a clock.",
        re.compile(r"\b(?:clock_gettime|gettimeofday|cudaEventElapsedTime|hipEventElapsedTime)\b"),
    ),
    (
        "native.beside",
        "warning",
        "{} in native code starts work that may outlast the kernel's call.",
        re.compile(
            r"\b(?:cudaStreamCreate\w*|hipStreamCreate\w*|getStreamFromPool|pthread_create|std::j?thread|std::async)\b"
        ),
    ),
)


def check(source: Source) -> Iterator[ReviewFinding]:
    """Yields at most one finding for each rule and string."""
    for node, text in source.strings():
        if not NATIVE.search(text):
            continue
        code = COMMENTS.sub(" ", text)
        for rule, severity, sentence, pattern in RULES:
            found = pattern.search(code)
            if found is not None:
                yield source.finding(rule, severity, node, sentence, found.group())
