"""A small engine for tests: for each workload of a definition it takes the solution as flashinfer-bench's apply does, by the traces
of the exact axes, the largest speedup and small errors, calls it, and compares its outputs with the reference's and with those
of the submitted file.

    flashinfer-trace-engine.py ROOT DEFINITION [SOLUTION]

Prints `[{"workload", "solution", "reference", "submission"}]`: whether the outputs are equal to both; null where the submission has
no `custom_kernel` in Python. With SOLUTION, there are no others.
"""

import importlib
import json
import math
import sys
import tempfile
import types
from pathlib import Path

import torch

#: Names of dtypes in safetensors files.
STORED = {"F32": torch.float32, "I32": torch.int32, "I64": torch.int64, "BOOL": torch.bool}
#: Largest errors of a solution that is applied.
MAX_ABSOLUTE, MAX_RELATIVE = 0.01, 0.00001
#: Entry points by solution.
BUILT = {}


def documents(root, folder, pattern):
    """Yields the documents below a folder."""
    for path in sorted((root / folder).rglob(pattern)):
        text = path.read_text()
        yield from map(json.loads, text.splitlines() if pattern == "*.jsonl" else [text])


def applied(traces, axes):
    """Returns the trace whose solution is applied for these axes; None if there is none."""
    fitting = [
        trace
        for trace in traces
        if trace["evaluation"]["status"] == "PASSED"
        and trace["workload"]["axes"] == axes
        and float(trace["evaluation"]["correctness"]["max_absolute_error"]) <= MAX_ABSOLUTE
        and float(trace["evaluation"]["correctness"]["max_relative_error"]) <= MAX_RELATIVE
    ]
    return max(fitting, key=lambda trace: trace["evaluation"]["performance"]["speedup_factor"], default=None)


def built(solution):
    """Returns the entry point of a solution, whose sources are a package of their own; builds each solution once."""
    key = json.dumps(solution)
    if key not in BUILT:
        BUILT[key] = build(solution)
    return BUILT[key]


def build(solution):
    """Builds a solution."""
    package = Path(tempfile.mkdtemp(prefix="solution_"))
    for source in solution["sources"]:
        path = package / source["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source["content"])
    file, name = solution["spec"]["entry_point"].split("::")
    if not file.endswith(".py"):
        from torch.utils.cpp_extension import load

        options = solution["spec"].get("compile_options") or {}
        code = [str(package / one["path"]) for one in solution["sources"] if one["path"].endswith((".cpp", ".cu"))]
        return getattr(load(package.name, code, extra_cflags=options.get("cflags")), name)
    sys.path.insert(0, str(package.parent))
    return getattr(importlib.import_module(".".join([package.name, *file[:-3].split("/")])), name)


def stored(root, source):
    """Returns a tensor of a safetensors file."""
    content = (root / source["path"]).read_bytes()
    length = int.from_bytes(content[:8], "little")
    entry = json.loads(content[8 : 8 + length])[source["tensor_key"]]
    begin, end = entry["data_offsets"]
    raw = torch.frombuffer(bytearray(content[8 + length + begin : 8 + length + end]), dtype=torch.uint8)
    return raw.view(STORED[entry["dtype"]]).reshape(entry["shape"])


def shape_of(definition, workload, tensor):
    """Returns the sizes of a tensor."""
    return [definition["axes"][axis].get("value", workload["axes"].get(axis)) for axis in tensor["shape"]]


def inputs_of(root, definition, workload):
    """Returns the inputs of a workload in order."""
    made = []
    for name, tensor in definition["inputs"].items():
        source = workload["inputs"][name]
        if source["type"] == "scalar":
            made.append(source["value"])
        elif source["type"] == "safetensors":
            made.append(stored(root, source))
        else:
            made.append(torch.randn(shape_of(definition, workload, tensor)).to(getattr(torch, tensor["dtype"])))
    return made


def buffers_of(definition, workload):
    """Returns output buffers of NaN or of ones."""
    return [
        torch.full(shape_of(definition, workload, tensor), 1 if "int" in tensor["dtype"] else math.nan).to(getattr(torch, tensor["dtype"]))
        for tensor in definition["outputs"].values()
    ]


def listed(value, definition):
    """Returns outputs in order."""
    if isinstance(value, dict):
        return [value[name] for name in definition["outputs"]]
    return list(value) if isinstance(value, (tuple, list)) else [value]


def called(solution, definition, workload, inputs):
    """Returns the outputs of a solution."""
    function = built(solution)
    if not solution["spec"].get("destination_passing_style", True):
        return listed(function(*inputs), definition)
    buffers = buffers_of(definition, workload)
    function(*inputs, *buffers)
    return buffers


def submitted(root, run, definition, workload, inputs):
    """Returns the outputs of the submitted file; None if it has no `custom_kernel`, or is not in Python."""
    (path,) = (root / "receipts").glob(f"{run}-submission.*")
    if path.suffix != ".py" or "def custom_kernel" not in path.read_text():
        return None
    module = types.ModuleType("submitted")
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    buffers = buffers_of(definition, workload)
    result = module.custom_kernel((*inputs, *buffers))
    return buffers if result is None else listed(result, definition)


def same(outputs, others):
    """Whether outputs are equal in every element."""
    return len(outputs) == len(others) and all(torch.equal(one, other) for one, other in zip(outputs, others))


def main(folder, name, only=None):
    """Applies the solutions of a definition to its workloads."""
    root = Path(folder)
    (definition,) = [one for one in documents(root, "definitions", "*.json") if one["name"] == name]
    solutions = {one["name"]: one for one in documents(root, "solutions", "*.json")}
    traces = [one for one in documents(root, "traces", "*.jsonl") if one["definition"] == name and only in (None, one["solution"])]
    reference = types.ModuleType("definition")
    exec(compile(definition["reference"], "definition", "exec"), reference.__dict__)
    report = []
    for line in (one for one in documents(root, "workloads", "*.jsonl") if one["definition"] == name):
        workload = line["workload"]
        trace = applied(traces, workload["axes"])
        if trace is None:
            report.append({"workload": workload["uuid"], "solution": None})
            continue
        inputs = inputs_of(root, definition, workload)
        got = called(solutions[trace["solution"]], definition, workload, inputs)
        run = trace["evaluation"]["correctness"]["extra"]["run"]
        there = submitted(root, run, definition, workload, inputs)
        report.append(
            {
                "workload": workload["uuid"],
                "solution": trace["solution"],
                "reference": same(got, listed(reference.run(*inputs), definition)),
                "submission": None if there is None else same(got, there),
            }
        )
    print(json.dumps(report))


main(*sys.argv[1:])
