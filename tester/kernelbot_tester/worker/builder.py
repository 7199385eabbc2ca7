"""The builder: makes a shared object of a submission in C++ or CUDA C++, in a cell of its own where compilers may run. No
line of the submission runs here.

The judge sends `{"folder", "files", "language", "flags", "architecture"}` with an open file, and hears `{"signature"}`: what
the problem's task.h declares, told before the submission is here; or `{"unable"}`, a sentence. The file holds our entry as an
earlier builder has compiled it, else it is empty and holds the entry now. Then it sends `{"source"}` with an open
file, and hears `{"built"}`: whether the file holds the shared object now. What compilers say is printed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

from . import bundle, wire

#: Our own files, which every submission is compiled beside.
OURS = Path(__file__).resolve().parent / "cpp"
#: Where compilers are looked for.
FOLDERS = "/usr/local/bin:/usr/bin:/bin:/usr/local/cuda/bin"
#: Where the compiled entry lies, and its most bytes.
ENTRY, ENTRY_BYTES = "entry", 64 << 20
#: Errors after which a compiler stops.
FIRST_ERRORS = "-fmax-errors=20"


class Unable(Exception):
    """Nothing can be built here, whatever the submission is; the message says why."""


class Compiler:
    """How a language is compiled. `flags` are the problem's."""

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
            # What a submission names itself is its own, whatever the interpreter has of that name.
            self.link = ["-shared", "-Wl,-z,defs", "-Wl,-Bsymbolic-functions"]
        else:
            self.before = ["-std=c++20", "-O3", "-Xcompiler=-fPIC", "-I."]
            self.before += ["--expt-relaxed-constexpr", "--expt-extended-lambda", "-DKERNELBOT_CUDA"]
            self.quick = ["-O1"]
            self.link = ["-shared", "-Xlinker=-z,defs", "-Xlinker=-Bsymbolic-functions"]
            if architecture is not None:
                self.before.append(f"-gencode=arch=compute_{architecture},code=sm_{architecture}")

    def entry(self) -> bool:
        """Compiles our own entry with the problem's header, alone."""
        os.makedirs(ENTRY)
        flags = [flag for flag in self.before if flag != "-O3"] + self.quick
        return run(self.program, *flags, "-c", "entry.cpp", "-o", f"{ENTRY}/entry.o", *self.after) and run(
            self.program, "-shared", f"{ENTRY}/entry.o", "-o", f"{ENTRY}/entry.so"
        )

    def build(self) -> bool:
        """Compiles the submission and links it with the entry."""
        sources = [self.submission, f"{ENTRY}/entry.o"]
        return run(self.program, *self.before, *self.link, *sources, "-o", "submission.so", *self.after)


def run(*command: str) -> bool:
    """Runs a compiler, which prints where we do; whether all went well."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, env={**os.environ, "PATH": FOLDERS}).returncode == 0


def main(sock: socket.socket) -> None:
    """Builds once and waits for its end."""
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


def prepare(message: dict[str, Any], entry: int) -> Compiler:
    """Goes to the folder and has our entry there: out of this open file, else compiled and put into it. Raises Unable."""
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
    """What task.h declares, in JSON; entry.cpp tells it."""
    tell = ctypes.CDLL(f"./{ENTRY}/entry.so").kernelbot_signature
    tell.restype = ctypes.c_char_p
    return tell().decode("utf-8", "replace")


def write(name: str, text: str) -> None:
    """Writes a file of texts."""
    with open(name, "w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
