"""What went wrong in a worker, in the words of the participant's own file."""

from __future__ import annotations

import traceback
from typing import Any

#: Characters of a message and of a traceback that are worth sending.
MESSAGE_LENGTH = 1_000
DETAIL_LENGTH = 12_000
#: How the allocators of PyTorch and C++ say it, on CPU and GPU.
OUT_OF_MEMORY = ("can't allocate memory", "not enough memory", "out of memory", "std::bad_alloc")


class Fault(Exception):
    """A failure that we describe ourselves, of one of the classes of core's `FAILURE_CLASSES`."""

    def __init__(self, failure: str, message: str) -> None:
        super().__init__(message)
        self.failure = failure


def fault_of(error: BaseException, module: str) -> dict[str, Any]:
    """The error as the judge hears it: `class`, `message` (a sentence), `detail` (a traceback, or None)."""
    file = f"{module}.py"
    if isinstance(error, Fault):
        return {"class": error.failure, "message": str(error)[:MESSAGE_LENGTH], "detail": None}
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
    return {"class": failure, "message": message[:MESSAGE_LENGTH], "detail": detail}


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
