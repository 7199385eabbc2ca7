"""Describes errors in a worker in terms of the participant's own file."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import traceback
from typing import Any, Callable

from .protocol import WorkerError

#: Maximum characters of a message and of a traceback.
MESSAGE_LENGTH = 1_000
DETAIL_LENGTH = 12_000
#: Words for this error in the allocators of PyTorch and C++, on CPU and GPU.
OUT_OF_MEMORY = ("can't allocate memory", "not enough memory", "out of memory", "std::bad_alloc")
#: Advice for a submission that started a process where none is allowed.
REFUSED = "processes can be started in the import, in tests and in the first call of a timed case, nowhere else"
NEVER = "submissions can start no processes on this machine: its kernel has no user notification of seccomp (Linux 5.5)"
#: How PyTorch's builder reports that a compiler failed, and compilers that a submission may run itself.
EXTENSION_FAILED = re.compile(r"Error (?:building|compiling objects for) extension(?: '(.+?)')?:?\s*")
COMPILER = re.compile(r"(.*-)?(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|nvcc|ptxas|hipcc|ninja|make|cmake)(-[\d.]+)?")
#: Advice for an import of a file that a harness puts next to the submission, and of a package.
HARNESS_FILES = {
    "reference": "reference.py is not there for a submission: copy the functions that it needs, such as ref_kernel, into its file",
    "utils": "the problem has no utils.py: copy the functions that the submission needs into its file",
    "eval": "there is no eval.py: the judge checks and times the submission",
}
NOT_INSTALLED = (
    "submissions have no network, so packages cannot be installed: "
    "import importlib.metadata; print([one.name for one in importlib.metadata.distributions()]) lists the installed packages"
)
#: Programs that install packages.
INSTALLERS = {"pip", "pip3", "uv", "conda", "apt", "apt-get"}
FOLDER = re.compile(r"/tmp/\S*/")


class Fault(Exception):
    """A failure that our code describes, of one of the classes of core's `FAILURE_CLASSES`."""

    def __init__(self, failure: str, message: str) -> None:
        super().__init__(message)
        self.failure = failure


class NotHere(BaseException):
    """In a rehearsal: the submission uses a feature that is missing here. A BaseException, so that user code does not
    catch it by mistake."""

    failure = "not_here"


def refuse(what: str) -> Callable[..., Any]:
    """Returns a function that raises NotHere, as a replacement for a feature that the processor does not have."""

    def call(*_: Any, **__: Any) -> Any:
        raise NotHere(f"it uses {what}")

    return call


def fault_of(error: BaseException, module: str, refused: str) -> WorkerError:
    """Returns the error in the form sent to the judge: `message` is a sentence, `detail` a traceback or a compiler's log.
    `refused`: advice where no process may be started."""
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
    elif (advice := missing_module_advice(error)) is not None:
        message = f"{last} ({advice})"
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


def missing_module_advice(error: BaseException) -> str | None:
    """Returns what to do about a module that cannot be imported or installed; None for any other error."""
    if isinstance(error, ModuleNotFoundError):
        name = (error.name or "").partition(".")[0]
        return HARNESS_FILES.get(name, NOT_INSTALLED)
    if isinstance(error, subprocess.CalledProcessError):
        words = error.cmd.split() if isinstance(error.cmd, str) else error.cmd
        if isinstance(words, (list, tuple)) and INSTALLERS.intersection(os.path.basename(str(word)) for word in words):
            return NOT_INSTALLED
    return None


def compile_log(error: BaseException) -> tuple[str, str] | None:
    """Returns what could not be compiled, and the compiler's log; None for any other error."""
    if isinstance(error, subprocess.CalledProcessError):
        words = error.cmd.split() if isinstance(error.cmd, str) else error.cmd
        program = os.path.basename(str(words[0])) if isinstance(words, (list, tuple)) and words else ""
        if COMPILER.fullmatch(program):
            streams = [error.stderr, error.stdout]
            texts = (text.decode("utf-8", "replace") if isinstance(text, bytes) else text for text in streams)
            return f"the input of {program}", "\n".join(text for text in texts if isinstance(text, str) and text)
    elif isinstance(error, RuntimeError) and error.args and isinstance(error.args[0], str):
        match = EXTENSION_FAILED.match(error.args[0])
        return match and (f"the extension {match[1] or ''}".strip(), error.args[0][match.end() :])
    return None


def first_error(log: str) -> str:
    """Returns the line of a compiler's log with the error, without the worker's folders."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    error = next((line for line in lines if "error:" in line), lines[-1] if lines else "see the log in its output")
    return FOLDER.sub("", error)


def trimmed(error: BaseException, file: str) -> str:
    """Returns the traceback with only the participant's frames, shortened in the middle."""
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
    """Shortens a text that is too long to its head and tail."""
    if len(text) <= length:
        return text
    return f"{text[: length // 2]}\n[... {len(text) - length} characters left out ...]\n{text[-length // 2 :]}"
