"""What a submission needs to compile: PyTorch's extension builder, loaded once, and cache folders."""

from __future__ import annotations

import builtins
import io
import os
import sys
from typing import Any

import torch

#: Cache subfolder of each builder, by the environment variable that sets it.
FOLDERS = {
    "XDG_CACHE_HOME": "",
    "TORCH_EXTENSIONS_DIR": "torch_extensions",
    "TRITON_CACHE_DIR": "triton",
    "TORCHINDUCTOR_CACHE_DIR": "inductor",
}
#: Maximum number of compilers of one build that run in parallel: each needs about a gigabyte for PyTorch's headers.
MOST_JOBS = 4


def preload() -> bool:
    """Imports the builder in the zygote, if it is installed (it needs setuptools). Costs about 26 MB and saves each
    later worker 0.4 s. Returns whether it was imported now."""
    if "torch.utils.cpp_extension" in sys.modules:
        return False
    # The import queries the device in order to warn; a process that has queried it cannot fork children that use one.
    available, torch.cuda.is_available = torch.cuda.is_available, lambda: True
    try:
        from torch.utils import cpp_extension
    except ImportError:
        return False
    finally:
        torch.cuda.is_available = available
    # PyTorch before 2.1 rewrites the sources of load_inline at each call, so that ninja rebuilds them.
    if not hasattr(cpp_extension, "_maybe_write"):
        setattr(cpp_extension, "open", open_source)
    return True


class Draft(io.StringIO):
    """A text that is written to its file when it is closed, unless the file already has this content."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def close(self) -> None:
        """Writes the text if it differs from the file."""
        if not self.closed:
            text = self.getvalue()
            if not holds(self.path, text):
                with open(self.path, "w") as file:
                    file.write(text)
        super().close()


def holds(path: str, text: str) -> bool:
    """Whether the file exists and has this text."""
    try:
        with open(path) as file:
            return file.read() == text
    except (OSError, ValueError):
        return False


def open_source(path: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
    """Replaces `open` in PyTorch's builder: keeps the modification time of a source that does not change."""
    if mode == "w" and str(path).endswith((".cpp", ".cu")):
        return Draft(str(path))
    return builtins.open(path, mode, *rest, **options)


def use_folder(folder: str, cores: int) -> None:
    """Makes every builder use a cache below this folder. Called in a worker before user code."""
    os.environ.update({name: os.path.join(folder, part).rstrip("/") for name, part in FOLDERS.items()})
    os.environ["MAX_JOBS"] = str(min(MOST_JOBS, cores))
    # A pool of compiling processes would not outlive the call that starts it.
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
