"""Loads the function under test from the sources that the judge sent."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType
from typing import Any, Callable

from .faults import Fault

#: Name of a module with which a problem may wrap a submission. It then defines the function that is called.
ADAPTER = "adapter"


def load_function(folder: str, files: dict[str, str], module: str, function: str) -> Callable[[Any], Any]:
    """Writes the files into the folder, imports `module` and returns its `function`. Where an adapter exists, imports
    it next and returns its `function` instead. Exceptions of the modules are passed on. Raises Fault."""
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    os.chdir(folder)
    sys.path.insert(0, folder)
    loaded = load_module(folder, files, module)
    if f"{ADAPTER}.py" in files:
        module = ADAPTER
        try:
            loaded = load_module(folder, files, ADAPTER)
        except ImportError as error:
            raise Fault("compile_error", str(error)) from None
    found = getattr(loaded, function, None)
    if not callable(found):
        raise Fault("compile_error", f"{module}.py defines no function {function}(data)")
    return found


def load_module(folder: str, files: dict[str, str], module: str) -> ModuleType:
    """Imports one of the files. Raises Fault."""
    name = f"{module}.py"
    path = os.path.join(folder, name)
    try:
        code = compile(files[name], path, "exec", dont_inherit=True)
    except SyntaxError as error:
        if error.filename is None:  # Newer versions of Python report NUL bytes in this way.
            raise Fault("compile_error", f"{name} cannot be compiled: {error.msg}") from None
        raise
    except UnicodeEncodeError:
        raise Fault("compile_error", f"{name} has characters that are not text (lone surrogates)") from None
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        raise Fault("compile_error", f"{name} cannot be compiled: {error}") from None
    spec = importlib.util.spec_from_file_location(module, path)
    assert spec is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[module] = loaded
    exec(code, loaded.__dict__)
    return loaded
