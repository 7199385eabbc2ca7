"""Imports a problem's modules from texts, so that nothing of it lies on a disk that a worker could be shown."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Sequence

from .worker.loading import ADAPTER

#: It belongs to the submission's worker, and no other module may import it.
ADAPTER_FILE = f"{ADAPTER}.py"


class TextImporter(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds modules among texts by name, before any installed module of that name."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module's spec if it is one of ours."""
        if fullname not in self.texts:
            return None
        spec = importlib.util.spec_from_loader(fullname, self, origin=f"{fullname}.py")
        if spec is not None:
            spec.has_location = True
        return spec

    def get_source(self, fullname: str) -> str:
        """The text, as tracebacks and `inspect` ask for it."""
        return self.texts[fullname]

    def get_code(self, fullname: str):
        """The compiled module."""
        return compile(self.texts[fullname], f"{fullname}.py", "exec", dont_inherit=True)

    def is_package(self, fullname: str) -> bool:
        """Problems have plain modules."""
        return False


def top_level_modules(files: dict[str, str]) -> dict[str, str]:
    """The texts of the modules beside a problem's reference by name; solutions lie deeper."""
    names = (path for path in files if path.endswith(".py") and path[:-3].isidentifier() and path != ADAPTER_FILE)
    return {path[:-3]: files[path] for path in names}


def visible_files(files: dict[str, str]) -> dict[str, str]:
    """What a submission may see of a problem."""
    return {name: files[name] for name in ("task.py", "utils.py", ADAPTER_FILE) if name in files}


def import_reference(files: dict[str, str]) -> ModuleType:
    """Imports the problem's `reference`. The process imports no second problem."""
    texts = top_level_modules(files)
    texts.pop("submission", None)
    sys.meta_path.insert(0, TextImporter(texts))
    import reference  # pyright: ignore[reportMissingImports]

    return reference
