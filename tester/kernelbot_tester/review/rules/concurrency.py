"""Work outside of the call: threads, processes, side streams, background tasks, recorded graphs."""

from __future__ import annotations

import ast
from typing import Iterator

from ..finding import ReviewFinding
from ..listed import Listed, words
from ..source import Source

LISTED = (
    Listed(
        "threads.start",
        "warning",
        "{} may run after the kernel's call has ended; writes after its end do not count.",
        words(
            "threading.Thread threading.Timer _thread.start_new_thread _thread.start_new"
            " concurrent.futures.ThreadPoolExecutor multiprocessing.pool.ThreadPool multiprocessing.dummy"
        ),
    ),
    Listed(
        "processes.start",
        "warning",
        "{} starts processes, which the sandbox allows for compiling and refuses in timed calls.",
        words(
            "subprocess multiprocessing.Process multiprocessing.Pool multiprocessing.get_context torch.multiprocessing"
            " concurrent.futures.ProcessPoolExecutor os.fork os.forkpty os.system os.popen os.posix_spawn"
            " os.posix_spawnp os.execv os.execve os.execvp os.execl os.execlp os.spawnv os.spawnl os.startfile pty"
        ),
    ),
    Listed(
        "streams.side",
        "warning",
        "{} queues work on another stream than the one that the kernel is called on.",
        words(
            "torch.cuda.Stream torch.cuda.stream torch.cuda.ExternalStream torch.cuda.set_stream"
            " torch.cuda.StreamContext torch.cuda.streams torch.Stream torch.xpu.Stream torch.xpu.stream"
            " cupy.cuda.Stream"
        ),
    ),
    Listed(
        "tasks.background",
        "warning",
        "{} runs tasks that may outlast the kernel's call.",
        words("asyncio trio anyio"),
    ),
    Listed(
        "graphs.capture",
        "info",
        "{} records work to be replayed; it must read the inputs again in each call.",
        words("torch.cuda.CUDAGraph torch.cuda.graph torch.cuda.graphs torch.cuda.make_graphed_callables"),
    ),
)


def check(source: Source) -> Iterator[ReviewFinding]:
    """Finds finalizers, which run when the last reference is dropped."""
    for node in source.each():
        if isinstance(node, ast.FunctionDef) and node.name == "__del__":
            sentence = "{} runs when its object is destroyed, also outside the kernel's call."
            yield source.finding("tasks.finalizer", "warning", node, sentence, node.name)
