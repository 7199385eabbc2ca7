"""A simulated accelerator for rehearsals: tensors are on the processor and report the device `cuda`.

Used only where participants try their own kernels on a machine without the device, never where a submission is judged:
the device computes in another order and precision.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import time
import types
from typing import Any, Callable

import torch

from . import triton_interpreter
from .faults import NotHere, refuse
from .protocol import DeviceProperties

#: Functions of `torch` and methods of tensors that accept a device.
FACTORIES = """arange as_tensor asarray empty empty_like empty_strided eye full full_like linspace ones ones_like rand
    rand_like randint randint_like randn randn_like randperm scalar_tensor tensor zeros zeros_like""".split()
METHODS = "new_empty new_empty_strided new_full new_ones new_tensor new_zeros to".split()
#: An error that mentions a device is about a missing feature: every tensor is on the processor.
OF_DEVICE = re.compile(r"cuda|cudnn|\bhip\b|nvml|nvidia|accelerator|device_id|\bgloo\b|\bnccl\b", re.I)


def simulate_device(device: DeviceProperties) -> None:
    """Simulates a device with these properties in this process, before any user code is loaded. Raises NotHere."""
    try:
        simulate_tensors()
        simulate_runtime(device)
        refuse_compilers()
        triton_interpreter.prepare(device)
    except Exception as error:
        raise NotHere(f"a device cannot be simulated with PyTorch {torch.__version__} ({error})") from None


def mapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function so that devices in its arguments, by keyword or positional, are mapped to the processor."""

    def call(*arguments: Any, **named: Any) -> Any:
        named.pop("pin_memory", None)
        if named.get("device") is not None:
            named["device"] = "cpu"
        # A positional number is a size, never a device.
        is_device = [isinstance(one, (str, torch.device)) for one in arguments]
        return function(*("cpu" if yes else one for yes, one in zip(is_device, arguments)), **named)

    return call


def simulate_tensors() -> None:
    """Makes all tensors be created on the processor, whatever device is requested."""
    kind: Any = torch.Tensor
    for owner, names in ((torch, FACTORIES), (kind, METHODS)):
        for name in names:
            setattr(owner, name, mapped(getattr(owner, name)))
    kind.cuda = kind.pin_memory = lambda self, *_, **__: self
    kind.record_stream = lambda self, *_: None
    kind.get_device = lambda self: 0
    kind.is_cuda = property(lambda self: True)
    kind.device = property(lambda self: torch.device("cuda", 0))


def simulate_runtime(device: DeviceProperties) -> None:
    """Makes `torch.cuda` report an available, idle device with one stream."""
    cuda: Any = torch.cuda
    memory = device["total_memory"]
    answers: dict[str, object] = {
        "is_available": True, "is_initialized": True, "device_count": 1, "current_device": 0,
        "get_device_name": device["name"], "get_device_capability": (device["major"], device["minor"]),
        "get_device_properties": types.SimpleNamespace(**device), "mem_get_info": (memory, memory),
        "is_bf16_supported": True, "is_current_stream_capturing": False, "memory_allocated": 0,
        "max_memory_allocated": 0, "init": None, "synchronize": None, "set_device": None, "empty_cache": None,
        "current_stream": Stream(), "default_stream": Stream(),
    }  # fmt: skip
    for name, answer in answers.items():
        setattr(cuda, name, lambda *_, answer=answer, **__: answer)
    cuda.Stream = cuda.Event = cuda.stream = cuda.device = Stream
    # Not torch.manual_seed, which calls these functions.
    cuda.manual_seed = cuda.manual_seed_all = lambda seed: torch.default_generator.manual_seed(seed)
    # A class, which PyTorch's compiler uses in annotations.
    cuda.CUDAGraph = cuda.graph = type("NotHere", (), {"__new__": staticmethod(refuse("CUDA graphs"))})
    version: Any = importlib.import_module("torch.version")
    version.hip, version.cuda = ("6.4", None) if device["warp_size"] == 64 else (None, "12.8")


def refuse_compilers() -> None:
    """Refuses compilation for the device; inline C++ for the processor works unchanged."""
    library: Any = torch
    library.compile = lambda model=None, **_: model if model is not None else lambda function: function
    builder: Any = importlib.import_module("torch.utils.cpp_extension")
    inline = builder.load_inline

    def load_inline(name: str, cpp_sources: Any, cuda_sources: Any = None, *rest: Any, **named: Any) -> Any:
        if cuda_sources or named.get("with_cuda"):
            refuse("inline CUDA and HIP, which are compiled for a device")()
        return inline(name, cpp_sources, cuda_sources, *rest, **named)

    builder.load_inline = load_inline


def in_other_words(error: BaseException) -> BaseException:
    """Converts an error caused by the missing device to NotHere; other errors unchanged."""
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        return NotHere(f"it imports {error.name}, which is not installed here")
    if triton_interpreter.UNKNOWN in str(error):
        return NotHere(f"it uses what Triton's interpreter does not have ({error})")
    if not isinstance(error, NotHere) and OF_DEVICE.search(str(error)):
        return NotHere(f"it asks PyTorch for a device in a way that is not mapped to the processor ({error})")
    return error


class Stream(contextlib.nullcontext[None]):
    """A stream whose work is done synchronously, or a point in time in it."""

    cuda_stream = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()
        self.at = time.perf_counter()

    def synchronize(self, *_: Any) -> None:
        """Does nothing: the work is done."""

    wait = wait_stream = wait_event = synchronize

    def record(self, *_: Any) -> None:
        """Records the current time."""
        self.at = time.perf_counter()

    def elapsed_time(self, other: Stream) -> float:
        """Returns the milliseconds between two events."""
        return 1e3 * (other.at - self.at)
