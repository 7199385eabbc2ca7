"""The builder: compiles a submission in C++ or CUDA C++ to a shared object, in a separate cell where compilers may
run. It never runs the submission.

The judge sends `protocol.BuildRequest` with an open file. The answer is
`{"signature"}`, the declaration of the problem's task.h, sent before the submission is in the cell; or `{"unable"}`, a
sentence. The file holds our entry as compiled by an earlier builder; if it is empty, the builder writes the entry into
it. The judge then sends `{"source"}` with an open file. The answer is `{"built"}`: whether the file now holds the
shared object. Compiler messages are printed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import subprocess
from pathlib import Path

from . import bundle, wire
from .protocol import BuildRequest

#: Our own files, which are compiled together with every submission.
OURS = Path(__file__).resolve().parent / "cpp"
#: Search path of compilers.
FOLDERS = "/usr/local/bin:/usr/bin:/bin:/usr/local/cuda/bin"
#: Folder of the compiled entry, and its maximum size in bytes.
ENTRY, ENTRY_BYTES = "entry", 64 << 20
#: Number of errors after which a compiler stops.
FIRST_ERRORS = "-fmax-errors=20"


class Unable(Exception):
    """This machine or problem does not allow building, for any submission; the message says why."""


class Compiler:
    """Compiler and options of a language. `flags` are the problem's."""

    def __init__(self, language: str, flags: list[str], architecture: str | None) -> None:
        name = {"cpp": "g++", "cu": "nvcc"}[language]
        program = shutil.which(name, path=FOLDERS)
        if program is None:
            raise Unable(f"this machine has no {name}, which compiles .{language} files")
        self.program = program
        self.submission = f"submission.{language}"
        self.after = flags
        if language == "cpp":
            self.before = ["-std=c++20", "-O3", "-march=native", "-fopenmp", "-fPIC", FIRST_ERRORS, "-I."]
            self.quick = ["-O1"]
            # Symbols of the submission bind to its own definitions, even where the interpreter has the same name.
            self.link = ["-shared", "-Wl,-z,defs", "-Wl,-Bsymbolic-functions"]
        else:
            self.before = ["-std=c++20", "-O3", "-Xcompiler=-fPIC", "-I."]
            self.before += ["--expt-relaxed-constexpr", "--expt-extended-lambda", "-DKERNELBOT_CUDA"]
            self.quick = ["-O1"]
            self.link = ["-shared", "-Xlinker=-z,defs", "-Xlinker=-Bsymbolic-functions"]
            if architecture is not None:
                self.before.append(f"-gencode=arch=compute_{architecture},code=sm_{architecture}")

    def entry(self) -> bool:
        """Compiles our entry with the problem's header. Returns whether it succeeded."""
        os.makedirs(ENTRY)
        flags = [flag for flag in self.before if flag != "-O3"] + self.quick
        return run(self.program, *flags, "-c", "entry.cpp", "-o", f"{ENTRY}/entry.o", *self.after) and run(
            self.program, "-shared", f"{ENTRY}/entry.o", "-o", f"{ENTRY}/entry.so"
        )

    def build(self) -> bool:
        """Compiles the submission and links it with the entry. Returns whether it succeeded."""
        sources = [self.submission, f"{ENTRY}/entry.o"]
        return run(self.program, *self.before, *self.link, *sources, "-o", "submission.so", *self.after)


def run(*command: str) -> bool:
    """Runs a compiler with our standard output. Returns whether it succeeded."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, env={**os.environ, "PATH": FOLDERS}).returncode == 0


def main(sock: socket.socket) -> None:
    """Builds one submission, then waits until the judge ends the process."""
    wire.send(sock, {"hello": os.getpid(), "processes": True})
    message, (entry,) = wire.receive(sock)
    try:
        compiler = prepare(message, entry)
        wire.send(sock, {"signature": signature()})
    except Unable as error:
        wire.send(sock, {"unable": str(error)})
    else:
        order, (file,) = wire.receive(sock)
        write(compiler.submission, order["source"])
        built = compiler.build()
        if built:
            with open("submission.so", "rb") as source, os.fdopen(file, "wb") as target:
                shutil.copyfileobj(source, target)
        wire.send(sock, {"built": built})
    wire.receive(sock)


def prepare(message: BuildRequest, entry: int) -> Compiler:
    """Fills the folder and makes it the working directory. Takes our entry from the open file, or compiles it and
    writes it there. Raises Unable."""
    os.makedirs(message["folder"], exist_ok=True)
    os.chdir(message["folder"])
    for name, text in message["files"].items():
        write(name, text)
    for file in OURS.iterdir():
        shutil.copyfile(file, file.name)
    compiler = Compiler(message["language"], message["flags"], message["architecture"])
    if os.fstat(entry).st_size > 0:
        bundle.unpack(entry, ENTRY)
    elif compiler.entry():
        bundle.pack(ENTRY, entry, ENTRY_BYTES)
    else:
        raise Unable("the problem's task.h does not compile")
    os.close(entry)
    return compiler


def signature() -> str:
    """Returns the declaration of task.h in JSON, produced by entry.cpp."""
    read = ctypes.CDLL(f"./{ENTRY}/entry.so").kernelbot_signature
    read.restype = ctypes.c_char_p
    return read().decode("utf-8", "replace")


def write(name: str, text: str) -> None:
    """Writes a text file."""
    with open(name, "w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
