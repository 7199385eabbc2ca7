"""Work beside the call: threads, processes, side streams, background tasks, recorded graphs."""

from __future__ import annotations

from ..listed import Listed, words

LISTED = (
    Listed(
        "threads.start",
        "warning",
        "{} may run while the kernel's call is over; what is written then does not count.",
        words(
            "threading.Thread threading.Timer _thread.start_new_thread _thread.start_new"
            " concurrent.futures.ThreadPoolExecutor multiprocessing.pool.ThreadPool multiprocessing.dummy"
        ),
    ),
    Listed(
        "processes.start",
        "warning",
        "{} starts processes, which the sandbox refuses.",
        words(
            "subprocess multiprocessing.Process multiprocessing.Pool multiprocessing.get_context torch.multiprocessing"
            " concurrent.futures.ProcessPoolExecutor os.fork os.forkpty os.system os.popen os.posix_spawn os.posix_spawnp"
            " os.execv os.execve os.execvp os.execl os.execlp os.spawnv os.spawnl os.startfile pty"
        ),
    ),
    Listed(
        "streams.side",
        "warning",
        "{} queues work beside the stream that the kernel is called on.",
        words(
            "torch.cuda.Stream torch.cuda.stream torch.cuda.ExternalStream torch.cuda.set_stream torch.cuda.StreamContext"
            " torch.cuda.streams torch.Stream torch.hip.Stream torch.xpu.Stream torch.xpu.stream cupy.cuda.Stream"
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
        "{} records work to be replayed; it must read the inputs of each call anew.",
        words("torch.cuda.CUDAGraph torch.cuda.graph torch.cuda.graphs torch.cuda.make_graphed_callables"),
    ),
)
