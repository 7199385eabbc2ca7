"""Checks what this machine needs for judging. Each check reports what it found and how to fix it."""

from __future__ import annotations

import json
from typing import Iterator

from ..device.find import FoundAccelerator, NoAccelerator, find_accelerator
from ..messages import Check
from . import accelerators, compilers, frameworks, resources, sandbox


def findings(needs_accelerator: bool) -> Iterator[Check]:
    """Runs every check. `needs_accelerator`: whether a machine without an accelerator fails."""
    yield frameworks.python()
    yield frameworks.pytorch()
    yield frameworks.numpy()
    yield frameworks.blas()
    yield compilers.library()
    yield compilers.compiling()
    yield sandbox.bubblewrap()
    yield sandbox.allocator()
    yield sandbox.user_namespaces()
    yield sandbox.proc()
    yield sandbox.seccomp()
    accelerator: FoundAccelerator | None = None
    try:
        accelerator = find_accelerator()
    except NoAccelerator as error:
        yield accelerators.missing(str(error), needs_accelerator)
    else:
        yield accelerators.driver(accelerator)
        yield accelerators.by_pytorch(accelerator)
        yield sandbox.device_files(accelerator)
    yield sandbox.worker(accelerator if needs_accelerator else None)
    yield resources.cores()
    yield resources.clock()
    yield resources.memory()
    yield resources.memory_limit()
    yield resources.cache_folder()
    yield resources.temporary_folder()


def doctor(as_json: bool, needs_accelerator: bool) -> int:
    """Prints every finding. Returns the exit code: 0 where all are ok, else 1."""
    found = list(findings(needs_accelerator))
    if as_json:
        print(json.dumps(found))
    else:
        for finding in found:
            print(f"{'ok ' if finding['ok'] else 'NOT'} {finding['name']}: {finding['detail']}")
            if finding["fix"]:
                print(f"    {finding['fix']}")
    return 0 if all(finding["ok"] for finding in found) else 1
