"""Access to memory of other code: frames, objects of the garbage collector, raw addresses, system files."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from ..finding import ReviewFinding
from ..listed import Listed, words
from ..source import Source

LISTED = (
    Listed(
        "frames.walk",
        "suspicious",
        "{} reads the frames of callers, where a harness may keep expected results.",
        words(
            "sys._getframe sys._getframemodulename sys._current_frames inspect.currentframe inspect.stack inspect.trace"
            " inspect.getouterframes inspect.getinnerframes inspect.getargvalues traceback.walk_stack traceback.walk_tb"
        ),
        words("f_back f_globals f_locals f_builtins tb_frame gi_frame cr_frame ag_frame"),
    ),
    Listed(
        "memory.collector",
        "suspicious",
        "{} searches the process for objects that were not passed to the kernel.",
        words("gc.get_objects gc.get_referrers gc.get_referents gc.callbacks tracemalloc"),
        words("__subclasses__"),
    ),
    Listed(
        "memory.address",
        "suspicious",
        "{} reads or writes memory by its address.",
        words("ctypes.pythonapi ctypes.string_at ctypes.wstring_at ctypes.memset ctypes.memmove" " cffi.FFI mmap.mmap"),
        words("from_address"),
    ),
    Listed(
        "memory.process",
        "warning",
        "{} inspects other processes.",
        words(
            "os.getppid os.getpid os.getpgid psutil resource.prlimit os.sched_setaffinity os.sched_setscheduler os.nice"
        ),
    ),
    Listed(
        "memory.modules",
        "warning",
        "{} accesses modules that the kernel did not import, such as the harness.",
        words("__main__ sys.modules importlib.reload kernelbot_tester"),
    ),
    Listed(
        "files.problem",
        "suspicious",
        "{} is a module of the problem; a kernel cannot import it and receives its inputs as its argument.",
        words("reference eval"),
    ),
)

HARMLESS = re.compile(r"/proc/(?:cpuinfo|meminfo|version)$|/sys/devices/system/(?:cpu|node)\b|/dev/(?:null|zero|shm)\b")
SYSTEM = re.compile(r"^/(?:proc|sys|dev)(?:/|$)")
PROBLEM = re.compile(r"(?:^|/)(?:reference\.py|eval\.py|task\.yml|solutions/)")


def check(source: Source) -> Iterator[ReviewFinding]:
    """Finds paths in strings, and the C library or the process itself loaded by ctypes."""
    for node, text in source.strings():
        if len(text) > 300 or "\n" in text:
            continue
        if SYSTEM.search(text) and not HARMLESS.search(text):
            sentence = "The path {} leads to processes or devices of the machine."
            yield source.finding("files.system", "suspicious", node, sentence, text)
        elif PROBLEM.search(text):
            sentence = "{} is a file of the problem, which a kernel does not need."
            yield source.finding("files.problem", "suspicious", node, sentence, text)
    for call, name in source.calls():
        library = source.names.string(call.args[0]) if call.args else None
        if name in ("ctypes.CDLL", "ctypes.PyDLL") and _is_own_process(call.args, library):
            sentence = "Loads the C library or the process itself, with all of its system calls."
            yield source.finding("memory.libc", "warning", call, sentence)


def _is_own_process(arguments: list[ast.expr], library: str | None) -> bool:
    if not arguments:
        return False
    first = arguments[0]
    return getattr(first, "value", "") is None or (
        library is not None and library.startswith(("libc.", "libc-", "libpython"))
    )
