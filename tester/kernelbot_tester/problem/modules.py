"""Imports a problem's modules from texts, so that they are never on a disk that a worker could read."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Sequence

from ..worker.loading import ADAPTER

#: The adapter belongs to the submission's worker; no other module may import it.
ADAPTER_FILE = f"{ADAPTER}.py"


class TextImporter(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds modules among texts by name, before any installed module of that name."""

    def __init__(self, texts: dict[str, str], files: dict[str, str]) -> None:
        """`texts`: modules by name. `files`: all files by name."""
        self.texts = texts
        self.files = files

    def get_data(self, path: str) -> bytes:
        """Returns a file of the problem, for the reference: `__loader__.get_data("table.json")`. Raises KeyError."""
        return self.files[path].encode()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns the module's spec, or None if there is no text of this name."""
        if fullname not in self.texts:
            return None
        spec = importlib.util.spec_from_loader(fullname, self, origin=f"{fullname}.py")
        if spec is not None:
            spec.has_location = True
        return spec

    def get_source(self, fullname: str) -> str:
        """Returns the source text, for tracebacks and `inspect`."""
        return self.texts[fullname]

    def get_code(self, fullname: str):
        """Returns the compiled code object."""
        return compile(self.texts[fullname], f"{fullname}.py", "exec", dont_inherit=True)

    def is_package(self, fullname: str) -> bool:
        """Problems consist of plain modules, never packages."""
        return False


def top_level_modules(files: dict[str, str]) -> dict[str, str]:
    """Returns the texts of the modules next to a problem's reference by name. Solutions are in subfolders and are left
    out."""
    names = (path for path in files if path.endswith(".py") and path[:-3].isidentifier() and path != ADAPTER_FILE)
    return {path[:-3]: files[path] for path in names}


def visible_files(files: dict[str, str]) -> dict[str, str]:
    """Returns the files of a problem that a submission may read."""
    return {name: files[name] for name in ("task.py", "utils.py", ADAPTER_FILE) if name in files}


def import_reference(files: dict[str, str]) -> ModuleType:
    """Imports the problem's `reference`. Modules of a problem that was imported before are forgotten."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, TextImporter)]
    for name, module in list(sys.modules.items()):
        if isinstance(getattr(module, "__loader__", None), TextImporter):
            del sys.modules[name]
    texts = top_level_modules(files)
    texts.pop("submission", None)
    sys.meta_path.insert(0, TextImporter(texts, files))
    import reference

    return reference
