"""Access to the surroundings: clocks, the environment, files, seeds."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from ..finding import ReviewFinding
from ..listed import Listed, words
from ..source import Source

LISTED = (
    Listed(
        "clock.read",
        "warning",
        "{} reads a clock; a kernel that distinguishes calls by time may behave differently when it is timed.",
        words(
            "time.time time.time_ns time.perf_counter time.perf_counter_ns time.monotonic time.monotonic_ns"
            " time.process_time time.process_time_ns time.thread_time time.thread_time_ns time.clock_gettime"
            " time.clock_gettime_ns time.sleep timeit datetime.datetime.now datetime.datetime.utcnow"
            " torch.cuda.Event torch.utils.benchmark torch.profiler"
        ),
    ),
    Listed(
        "environment.host",
        "info",
        "{} identifies the machine.",
        words("platform socket.gethostname os.uname sys.argv os.cpu_count sys.orig_argv"),
    ),
    Listed(
        "files.stored",
        "warning",
        "{} stores or loads data in files.",
        words(
            "torch.save torch.load numpy.save numpy.load numpy.savez numpy.fromfile numpy.memmap pickle shelve dbm"
            " sqlite3 multiprocessing.shared_memory"
        ),
    ),
    Listed(
        "seeds.set",
        "warning",
        "{} sets a seed; a kernel that generates the inputs itself would do so.",
        words(
            "torch.manual_seed torch.cuda.manual_seed torch.random.manual_seed random.seed numpy.random.seed"
            " torch.set_rng_state"
        ),
        words("manual_seed"),
    ),
)

ENVIRONMENTS = ("os.environ", "os.environb", "os.getenv", "os.getenvb", "os.putenv", "posix.environ")
#: Variables of compilers and libraries.
TOOLS = re.compile(
    r"(?:TORCH|PYTORCH|CUDA|HIP|ROCM|TRITON|NVCC|CUTE|CUTLASS|OMP|MKL|OPENBLAS|MAX_JOBS|CC$|CXX$|CFLAGS$|CXXFLAGS$)"
)


def check(source: Source) -> Iterator[ReviewFinding]:
    """Finds uses of environment variables and opened files."""
    for use in source.uses():
        if not use.name.startswith(ENVIRONMENTS):
            continue
        key = _key(source, use.node)
        if key is not None and TOOLS.match(key):
            sentence = "Sets or reads {}, a variable of a tool."
            yield source.finding("environment.tool", "info", use.node, sentence, key)
        else:
            sentence = "{} reads the environment, in which a harness may pass its mode, seed or channel."
            yield source.finding("environment.read", "warning", use.node, sentence, use.name)
    for call, name in source.calls():
        if name in ("builtins.open", "io.open", "os.open", "pathlib.Path"):
            yield source.finding("files.open", "info", call, "{} opens files.", name)


def _key(source: Source, node: ast.AST) -> str | None:
    """Returns the variable in `os.environ["X"]`, `os.environ.get("X")` and `os.getenv("X")`, or None."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return source.names.string(parent.slice)
    if isinstance(parent, ast.Call) and parent.func is node and parent.args:
        return source.names.string(parent.args[0])
    return None
