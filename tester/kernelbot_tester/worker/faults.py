"""What went wrong in a worker, in the words of the participant's own file."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import traceback
from typing import Any, Callable

#: Characters of a message and of a traceback that are worth sending.
MESSAGE_LENGTH = 1_000
DETAIL_LENGTH = 12_000
#: How the allocators of PyTorch and C++ say it, on CPU and GPU.
OUT_OF_MEMORY = ("can't allocate memory", "not enough memory", "out of memory", "std::bad_alloc")
#: Said to whoever wanted to start a process where none may be.
REFUSED = "processes can be started in the import, in tests and in the first call of a timed case, nowhere else"
NEVER = "submissions can start no processes on this machine: its kernel has no user notification of seccomp (Linux 5.5)"
#: How PyTorch's builder says that a compiler failed, and the compilers that a submission may run itself.
EXTENSION_FAILED = re.compile(r"Error (?:building|compiling objects for) extension(?: '(.+?)')?:?\s*")
COMPILER = re.compile(r"(.*-)?(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|nvcc|ptxas|hipcc|ninja|make|cmake)(-[\d.]+)?")
FOLDER = re.compile(r"/tmp/\S*/")


class Fault(Exception):
    """A failure that we describe ourselves, of one of the classes of core's `FAILURE_CLASSES`."""

    def __init__(self, failure: str, message: str) -> None:
        super().__init__(message)
        self.failure = failure


class NotHere(BaseException):
    """In a rehearsal: what the submission needs of a device that is not there. Not to be caught by mistake."""

    failure = "not_here"


def refuse(what: str) -> Callable[..., Any]:
    """What a submission finds in the place of something that the processor cannot do."""

    def call(*_: Any, **__: Any) -> Any:
        raise NotHere(f"it uses {what}")

    return call


def fault_of(error: BaseException, module: str, refused: str) -> dict[str, Any]:
    """The error as the judge hears it: `class`, `message` (a sentence), `detail` (a traceback or a compiler's log, or
    None). `refused`: what to say where no process may be started."""
    file = f"{module}.py"
    if isinstance(error, (Fault, NotHere)):
        return {"class": error.failure, "message": str(error)[:MESSAGE_LENGTH], "detail": None}
    log = compile_log(error)
    if log is not None:
        message = f"{log[0]} cannot be compiled: {first_error(log[1])}"
        return {"class": "compile_error", "message": message[:MESSAGE_LENGTH], "detail": shortened(log[1], DETAIL_LENGTH)}
    detail = trimmed(error, file)
    last = traceback.format_exception_only(type(error), error)[-1].strip()
    failure, message = "crash", last
    if isinstance(error, SyntaxError) and str(error.filename or "").endswith(f"/{file}"):
        failure, message = "compile_error", f"{file}, line {error.lineno}: {error.msg}"
    elif isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        message = f"the submission ended itself with exit code {code}"
    elif isinstance(error, MemoryError) or any(words in last for words in OUT_OF_MEMORY):
        failure, message = "out_of_memory", f"out of memory: {last}"
    elif isinstance(error, PermissionError) and error.errno == errno.EPERM:
        message = f"{last} ({refused})"
    elif "Ninja is required" in last:
        message = f"{last} ({refused if shutil.which('ninja') else 'this machine has no ninja'})"
    return {"class": failure, "message": message[:MESSAGE_LENGTH], "detail": detail}


def compile_log(error: BaseException) -> tuple[str, str] | None:
    """What could not be compiled, and what the compiler said; None when the error is another."""
    if isinstance(error, subprocess.CalledProcessError):
        words = error.cmd.split() if isinstance(error.cmd, str) else error.cmd
        program = os.path.basename(str(words[0])) if isinstance(words, (list, tuple)) and words else ""
        if COMPILER.fullmatch(program):
            said = [error.stderr, error.stdout]
            texts = (text.decode("utf-8", "replace") if isinstance(text, bytes) else text for text in said)
            return f"what {program} was given", "\n".join(text for text in texts if isinstance(text, str) and text)
    elif isinstance(error, RuntimeError) and error.args and isinstance(error.args[0], str):
        found = EXTENSION_FAILED.match(error.args[0])
        return found and (f"the extension {found[1] or ''}".strip(), error.args[0][found.end() :])
    return None


def first_error(log: str) -> str:
    """The line of a compiler's log that says what is wrong, without the folders of the worker."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    wrong = next((line for line in lines if "error:" in line), lines[-1] if lines else "the log is in what it printed")
    return FOLDER.sub("", wrong)


def trimmed(error: BaseException, file: str) -> str:
    """The traceback without the frames that are not the participant's; a long one loses its middle."""
    report = traceback.TracebackException.from_exception(error)
    part, seen = report, set()
    while part is not None and id(part) not in seen:
        seen.add(id(part))
        own = [frame for frame in part.stack if frame.filename.endswith(f"/{file}")]
        for frame in own:
            frame.filename = file
        part.stack = traceback.StackSummary.from_list(own)
        if str(getattr(part, "filename", None)).endswith(f"/{file}"):
            part.filename = file
        if part.__cause__ is not None:
            part.__context__ = None
        part = part.__cause__ or part.__context__
    return shortened("".join(report.format()), DETAIL_LENGTH)


def shortened(text: str, length: int) -> str:
    """Head and tail of a text that is too long."""
    if len(text) <= length:
        return text
    return f"{text[: length // 2]}\n[... {len(text) - length} characters left out ...]\n{text[-length // 2 :]}"
