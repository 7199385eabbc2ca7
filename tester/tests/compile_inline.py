"""Compiles the CUDA C++ that a submission passes to PyTorch's extension builder, with its flags and headers, for several
architectures at once. No device is needed.

Standard input: {"folder": ..., "source": ..., "architectures": ["90a", ...]}; `folder` has the problem's files. Standard
output: the messages of nvcc, empty where it compiles."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from torch.utils import cpp_extension

#: What PyTorch puts before the source (load_inline).
HEAD = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"


class Captured(Exception):
    """Ends the submission at its call of load_inline."""


def inline_source(source: str, folder: str) -> str:
    """Returns the CUDA C++ of a submission."""

    def load_inline(*_: object, cuda_sources: str, **__: object) -> None:
        raise Captured(cuda_sources)

    sys.path.insert(0, folder)
    try:
        with mock.patch.object(cpp_extension, "load_inline", load_inline):
            exec(compile(source, "submission.py", "exec"), {"__name__": "submission"})
    except Captured as captured:
        return str(captured)
    raise SystemExit("the submission does not call load_inline")


def main() -> None:
    """Compiles the submission of the standard input."""
    request = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "cuda.cu"
        file.write_text(HEAD + inline_source(request["source"], request["folder"]))
        command = ["nvcc", "-std=c++17", "-c", str(file), "-o", str(file.with_suffix(".o")), *cpp_extension.COMMON_NVCC_FLAGS]
        command += [f"-I{path}" for path in cpp_extension.include_paths()]
        command += [f"-gencode=arch=compute_{each},code=sm_{each}" for each in request["architectures"]]
        compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode != 0:
        print(compiled.stdout + compiled.stderr)


if __name__ == "__main__":
    main()
