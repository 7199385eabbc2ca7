"""Runs the model of a problem's file in a separate process, within limits, and reports its properties."""

from __future__ import annotations

import inspect
import math
import multiprocessing
import os
import resource
import signal
import sys
import time
import traceback
import types
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Callable

import torch

from ..messages import Degeneracy, ModelInspection, Precision
from ..pip_command import pip_install
from ..problem.memory_limit import limit_memory

#: Wall-clock limit of an inspection in seconds, for a model that waits: a multiple of its processor time limit, plus a
#: constant, since the machine may be busy.
WALL_LIMIT = (10, 300)
#: Bytes for each element of the inputs during their creation, including one or two copies.
INPUT_BYTES = 16
#: Number of inputs for which a degenerate model gives the same result: as many as a kernel is tested on.
INPUTS = 5
#: Number of elements that are compared at a time.
PIECE = 1 << 20
#: Tolerance of each precision, as in core's `suiteProblem`.
TOLERANCE: dict[Precision, float] = {"fp32": 1e-4, "fp16": 1e-2, "bf16": 1e-2}


@dataclass(frozen=True)
class Limits:
    """Limits of an inspection: seconds of processor time, bytes of address space in addition to PyTorch's own, elements of
    all inputs together, and seconds of a call."""

    seconds: float
    memory_bytes: float
    elements: float = math.inf
    call_s: float = math.inf


class DidNotRun(Exception):
    """The model did not run; the message says why."""


def inspect_model(source: str, precision: Precision, limits: Limits) -> ModelInspection:
    """Returns the properties of a model. Raises DidNotRun."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=send_inspection, args=(theirs, source, precision, limits))
    child.start()
    theirs.close()
    try:
        lasting_s = limits.seconds * WALL_LIMIT[0] + WALL_LIMIT[1]
        if not ours.poll(lasting_s):
            raise DidNotRun(f"it took more than {lasting_s:g} s")
        answer: ModelInspection | str = ours.recv()
    except EOFError:
        child.join()
        if child.exitcode == -signal.SIGXCPU:
            raise DidNotRun(f"it took more than {limits.seconds:g} s") from None
        raise DidNotRun(f"its process died (exit code {child.exitcode})") from None
    finally:
        child.kill()
        child.join()
        ours.close()
    if isinstance(answer, str):
        raise DidNotRun(answer)
    return answer


def send_inspection(pipe: Connection, source: str, precision: Precision, limits: Limits) -> None:
    """Sends the model's properties, or a sentence on what went wrong."""
    seconds = math.ceil(limits.seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Open files of the parent process must not be accessible to the model.
    os.closerange(3, pipe.fileno())
    os.closerange(pipe.fileno() + 1, 1 << 16)
    # Printed output of a model must not be mixed with progress messages.
    sys.stdout = sys.stderr = open("/dev/null", "w")
    try:
        pipe.send(inspection(source, precision, limits))
    except DidNotRun as error:
        pipe.send(str(error))
    except ModuleNotFoundError as error:
        name = (error.name or str(error)).partition(".")[0]
        pipe.send(f"it imports {name}, which is not installed; install it: {pip_install(name)}")
    except BaseException as error:
        if "DefaultCPUAllocator" in str(error) or isinstance(error, MemoryError):
            pipe.send("it needs more memory than it may have")
            return
        pipe.send(traceback.format_exception_only(type(error), error)[-1].strip()[:500])


def inspection(source: str, precision: Precision, limits: Limits) -> ModelInspection:
    """Builds the model, calls it on inputs of several seeds, and returns its properties. Passes on exceptions of the
    model."""
    torch.set_num_threads(1)
    # Fails at once where inputs would be generated for seconds and then found to be too large.
    limit_memory(min(limits.memory_bytes, limits.elements * INPUT_BYTES))
    module: Any = types.ModuleType("model")
    sys.modules["model"] = module
    exec(compile(source, "model.py", "exec", dont_inherit=True), module.__dict__)
    inputs = made(module, 1)
    bytes_of = 4 if precision == "fp32" else 2
    input_bytes = sizes(tensors_of(inputs), bytes_of)
    elements = sum(tensor.numel() for tensor in tensors_of(inputs))
    if elements > limits.elements:
        raise DidNotRun(f"its inputs have {elements:,} elements")
    limit_memory(limits.memory_bytes)
    torch.manual_seed(0)
    positional, keywords = arguments_of(module.Model, module.get_init_inputs())
    torch.manual_seed(0)
    model = module.Model(*positional, **keywords)
    first, forward_s, draws = called(model, inputs, 3)
    if forward_s > limits.call_s:
        raise DidNotRun(f"a call takes {forward_s:.1f} s")
    # Dropout with probability 0 also draws random numbers, without an effect.
    again, again_s, _ = called(model, made(module, 1), 4 if draws else 3)
    is_random = draws and not all(torch.equal(one, other) for one, other in zip(first, again))

    def outputs_of(seed: int) -> list[torch.Tensor]:
        return first if seed == 1 else called(model, made(module, seed), 3)[0]

    return {
        "outputs": len(first),
        "isRandom": is_random,
        "degenerate": degeneracy(outputs_of, lambda seed: tensors_of(made(module, seed)), TOLERANCE[precision]),
        "inputBytes": input_bytes,
        "parameterBytes": sizes([*model.parameters(), *model.buffers()], bytes_of),
        "outputBytes": sizes(first, bytes_of),
        "forwardS": round(min(forward_s, again_s), 6),
    }


def made(module: Any, seed: int) -> list[Any]:
    """Returns the inputs of a seed, cast as by the judge, in single precision."""
    torch.manual_seed(seed)
    return [single(one) for one in listed(module.get_inputs())]


def single(value: Any) -> Any:
    """Converts floating-point tensors to float32, also inside lists, tuples and dictionaries."""
    if isinstance(value, torch.Tensor):
        return value.float() if value.is_floating_point() else value
    if isinstance(value, (list, tuple)):
        return type(value)(single(one) for one in value)
    if isinstance(value, dict):
        return {key: single(one) for key, one in value.items()}
    return value


def called(model: Any, inputs: list[Any], seed: int) -> tuple[list[torch.Tensor], float, bool]:
    """Calls the model with a seeded generator. Returns its outputs, the seconds, and whether it drew random
    numbers."""
    torch.manual_seed(seed)
    before = torch.random.get_rng_state()
    # Processor time, so that other load does not change which sizes are chosen. A thread's clock, since the clock of a
    # process with a time limit advances in ticks.
    started = time.thread_time()
    with torch.no_grad():
        result = model(*inputs)
    took_s = time.thread_time() - started
    outputs = flat(result)
    other = next((one for one in outputs if not isinstance(one, torch.Tensor)), None)
    if other is not None or not outputs:
        raise DidNotRun(f"it gives a {type(other).__name__}, and only tensors can be compared")
    return outputs, took_s, not torch.equal(before, torch.random.get_rng_state())


def degeneracy(
    outputs_of: Callable[[int], list[torch.Tensor]], inputs_of: Callable[[int], list[torch.Tensor]], tolerance: float
) -> Degeneracy | None:
    """Returns why a correct output would prove nothing, for the inputs of several seeds and the same weights; None where the outputs are meaningful. Inputs are generated again for the comparison, since the
    model may have written into the inputs of its call."""
    first = outputs_of(1)
    zeros = are_zeros(first, tolerance)
    independent = [True] * len(first)
    shifts = shifts_of(first, inputs_of(1), tolerance)
    for seed in range(2, INPUTS + 1):
        outputs = outputs_of(seed)
        zeros = zeros and are_zeros(outputs, tolerance)
        independent = [still and same(one, other, tolerance) for still, one, other in zip(independent, first, outputs)]
        if any(shifts):
            inputs = inputs_of(seed)
            shifts = [
                [(at, by) for at, by in mine if at < len(inputs) and is_shifted(inputs[at], output, by, tolerance)]
                for mine, output in zip(shifts, outputs)
            ]
        if not zeros and not all(still or mine for still, mine in zip(independent, shifts)):
            return None
    if zeros:
        return "zeros"
    return "independent" if all(independent) else "identity"


def shifts_of(outputs: list[torch.Tensor], inputs: list[torch.Tensor], tolerance: float) -> list[list[tuple[int, float]]]:
    """Returns for each output the inputs that it equals, by position, each with the constant that is added to it."""
    found: list[list[tuple[int, float]]] = []
    for output in outputs:
        found.append([])
        for at, one in enumerate(inputs):
            constants = {0.0}
            if output.is_floating_point() and min(one.numel(), output.numel()) > 0:
                constants.add(float(output.reshape(-1)[0]) - float(one.reshape(-1)[0]))
            found[-1] += [(at, by) for by in constants if is_shifted(one, output, by, tolerance)]
    return found


def is_shifted(one: torch.Tensor, output: torch.Tensor, by: float, tolerance: float) -> bool:
    """Whether the judge would accept an input plus a constant as the output."""
    if one.numel() != output.numel() or one.dtype != output.dtype:
        return False
    return same(one.reshape(output.shape), output, tolerance, by)


def are_zeros(outputs: list[torch.Tensor], tolerance: float) -> bool:
    """Whether the judge would accept zeros for these outputs."""
    return all(same(torch.zeros_like(one), one, tolerance) for one in outputs)


def same(one: torch.Tensor, other: torch.Tensor, tolerance: float, by: float = 0.0) -> bool:
    """Whether the judge would accept `one` plus a constant for `other`."""
    if one.shape != other.shape:
        return False
    if not one.is_floating_point():
        return torch.equal(one, other)
    # In pieces: the first piece usually differs already, and a double-precision copy of everything needs much memory.
    pairs = zip(one.reshape(-1).split(PIECE), other.reshape(-1).split(PIECE))
    return all(torch.allclose(a.double() + by, b.double(), rtol=tolerance, atol=tolerance, equal_nan=True) for a, b in pairs)


def sizes(tensors: list[torch.Tensor], bytes_of: int) -> int:
    """Returns the bytes of tensors whose floating-point numbers have `bytes_of` bytes."""
    return sum(one.numel() * (bytes_of if one.is_floating_point() else one.element_size()) for one in tensors)


def listed(value: Any) -> list[Any]:
    """Returns the result of get_inputs or get_init_inputs as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def arguments_of(cls: Any, value: Any) -> tuple[list[Any], dict[str, Any]]:
    """Returns the positional and keyword arguments of a result of get_init_inputs, as the judge does. A list of a list and a
    dictionary is both, as in KernelBook, where the class accepts them so."""
    values = listed(value)
    if len(values) == 2 and isinstance(values[0], (list, tuple)) and isinstance(values[1], dict):
        try:
            inspect.signature(cls).bind(*values[0], **values[1])
            return list(values[0]), values[1]
        except (TypeError, ValueError):
            pass
    return values, {}


def tensors_of(value: Any) -> list[torch.Tensor]:
    """Returns the tensors of an input in order."""
    return [one for one in flat(value) if isinstance(one, torch.Tensor)]


def flat(value: Any) -> list[Any]:
    """Returns the elements of nested lists, tuples and dictionaries, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    return [inner for one in value for inner in flat(one)] if isinstance(value, (list, tuple)) else [value]
