"""A FlashInfer Trace definition in the submission's worker: `custom_kernel` by way of a solution's entry point. A solution
is `run` in a file, or the sources of several files; directives say how it is called."""

import importlib
import inspect
import json
import os
import re
import sys

import submission
import torch
from task import DTYPES, INPUTS, OUTPUTS

#: Package of the sources of a solution, so that they can import each other with or without a dot.
PACKAGE = "solution_sources"


def directive():
    """Returns the fields of the solution that the submission's directive has; empty if there is none."""
    with open(inspect.getfile(submission), encoding="utf-8") as file:
        found = re.search(r"^#!\s*KERNELBOT\s+solution\s+(\{.*\})\s*$", file.read(), re.MULTILINE | re.IGNORECASE)
    return {} if found is None else json.loads(found[1])


def written(sources):
    """Writes the sources of a solution. Returns the folder."""
    folder = os.path.join(os.path.dirname(os.path.abspath(inspect.getfile(submission))), PACKAGE)
    for path, content in sources.items():
        parts = path.split("/")
        if not all(parts) or {".", ".."}.intersection(parts):
            raise ImportError(f"the path {path!r} of a source leads elsewhere")
        file = os.path.join(folder, *parts)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w", encoding="utf-8", newline="") as target:
            target.write(content)
    return folder


def function_of(sources, spec):
    """Builds or imports the sources. Returns the entry point."""
    file, _, name = spec["entry_point"].partition("::")
    folder = written(sources)
    if file.endswith(".py"):
        sys.path.insert(0, folder)
        module = importlib.import_module(".".join([PACKAGE, *file[:-3].split("/")]))
    else:
        module = built(folder, sources, spec)
    return getattr(module, name, None)


def built(folder, sources, spec):
    """Compiles C++ and CUDA sources as an extension of PyTorch."""
    from torch.utils import cpp_extension

    endings = (".cpp", ".cc", ".cxx", ".c", ".cu")
    options = spec.get("compile_options") or {}
    return cpp_extension.load(
        name="solution_extension",
        sources=[os.path.join(folder, *path.split("/")) for path in sources if path.endswith(endings)],
        extra_include_paths=[folder],
        extra_cflags=options.get("cflags") or [],
        extra_cuda_cflags=options.get("cuda_cflags") or [],
        extra_ldflags=options.get("ld_flags") or [],
    )


def entry():
    """Returns the function to call, and whether it gets the output buffers."""
    spec = directive().get("spec") or {}
    if hasattr(submission, "SOURCES") and spec:
        found = function_of(submission.SOURCES, spec)
    else:
        found = getattr(submission, spec.get("entry_point", "::run").partition("::")[2], None)
    if not callable(found):
        raise ImportError(
            f"submission.py defines neither custom_kernel(data) nor {spec.get('entry_point', 'run')}, the entry point of a solution"
        )
    if spec:
        return found, spec.get("destination_passing_style", True) is not False
    # Without a directive the number of parameters tells.
    count = len(inspect.signature(found).parameters)
    return found, count == len(INPUTS) + len(OUTPUTS)


def results(value):
    """Returns the outputs of a function that returns them, as tensors in the order of the definition."""
    if isinstance(value, dict):
        value = [value[name] for name in OUTPUTS]
    listed = list(value) if isinstance(value, (tuple, list)) else [value]
    tensors = tuple(
        one if isinstance(one, torch.Tensor) or one is None else torch.tensor(one, dtype=getattr(torch, DTYPES[name]))
        for one, name in zip(listed, OUTPUTS)
    )
    if len(listed) != len(OUTPUTS):
        return tuple(listed)
    return tensors[0] if len(tensors) == 1 else tensors


if hasattr(submission, "custom_kernel"):
    custom_kernel = submission.custom_kernel
else:
    FUNCTION, WRITES = entry()

    def custom_kernel(data):
        """Calls the entry point with the inputs, and with the output buffers if it writes them."""
        if WRITES:
            FUNCTION(*data)
            return None
        return results(FUNCTION(*data[: len(INPUTS)]))
