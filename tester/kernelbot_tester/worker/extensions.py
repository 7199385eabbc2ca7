"""What a submission needs to compile: PyTorch's builder of extensions, loaded once, and folders for what is built."""

from __future__ import annotations

import builtins
import io
import os
from typing import Any

import torch

#: What a builder keeps lies in the cache folder, by the variable that names it.
FOLDERS = {
    "XDG_CACHE_HOME": "",
    "TORCH_EXTENSIONS_DIR": "torch_extensions",
    "TRITON_CACHE_DIR": "triton",
    "TORCHINDUCTOR_CACHE_DIR": "inductor",
}
#: Compilers of one build that run at once, at most: each takes about a gigabyte for PyTorch's headers.
MOST_JOBS = 4


def preload() -> None:
    """In the zygote: imports the builder, if it is there (it needs setuptools): some 26 MB for 0.4 s less in a worker."""
    # The import asks for a device in order to warn; a process that has asked can fork none that uses one.
    available, torch.cuda.is_available = torch.cuda.is_available, lambda: True
    try:
        from torch.utils import cpp_extension
    except ImportError:
        return
    finally:
        torch.cuda.is_available = available
    # PyTorch before 2.1 writes the sources of load_inline anew at each call, so that ninja builds anew.
    if not hasattr(cpp_extension, "_maybe_write"):
        setattr(cpp_extension, "open", open_source)


class Draft(io.StringIO):
    """A text that goes into its file when it is closed, unless the file has it already."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def close(self) -> None:
        """Writes what is new."""
        if not self.closed:
            text = self.getvalue()
            if not holds(self.path, text):
                with open(self.path, "w") as file:
                    file.write(text)
        super().close()


def holds(path: str, text: str) -> bool:
    """Whether the file is there and has this text."""
    try:
        with open(path) as file:
            return file.read() == text
    except (OSError, ValueError):
        return False


def open_source(path: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
    """`open` for PyTorch's builder: leaves a source that does not change as old as it is."""
    if mode == "w" and str(path).endswith((".cpp", ".cu")):
        return Draft(str(path))
    return builtins.open(path, mode, *rest, **options)


def use_folder(folder: str, cores: int) -> None:
    """In a worker, before user code: lets every builder keep what it builds below this folder."""
    os.environ.update({name: os.path.join(folder, part).rstrip("/") for name, part in FOLDERS.items()})
    os.environ["MAX_JOBS"] = str(min(MOST_JOBS, cores))
    # A pool of compiling processes would not outlive the call that starts it.
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
