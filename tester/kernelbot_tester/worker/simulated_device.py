"""A simulated accelerator for rehearsals: tensors are on the processor and report the device `cuda`.

Used only where participants try their own kernels on a machine without the device, never where a submission is judged:
the device computes in another order and precision.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import time
from dataclasses import dataclass
from typing import Any, Callable

import torch

from . import triton_interpreter
from .faults import NotHere, refuse
from .protocol import DeviceProperties

#: Functions of `torch` and methods of tensors that accept a device.
FACTORIES = """arange as_tensor asarray bartlett_window blackman_window empty empty_like empty_strided eye full
    full_like hamming_window hann_window kaiser_window linspace logspace normal ones ones_like rand rand_like randint randint_like
    randn randn_like randperm scalar_tensor sparse_coo_tensor tensor tril_indices triu_indices zeros
    zeros_like""".split()
METHODS = "new_empty new_empty_strided new_full new_ones new_tensor new_zeros to".split()
#: PyTorch's errors for a device that is requested in a way that is not mapped to the processor.
NO_DEVICE = re.compile(
    r"not compiled with CUDA|not linked with CUDA|NVIDIA driver|No (CUDA|HIP) GPUs|accelerator support|\bgloo\b|\bnccl\b",
    re.IGNORECASE,
)
#: An error that mentions a device is about a missing feature: every tensor is on the processor.
OF_DEVICE = re.compile(r"cuda|cudnn|\bhip\b|nvml|torch\.accelerator|device_id", re.I)
BUILDERS = "inline CUDA and HIP, which are compiled for a device"


@dataclass(frozen=True)
class Properties:
    """Result of `torch.cuda.get_device_properties`."""

    name: str
    #: In bytes.
    total_memory: int
    multi_processor_count: int
    major: int
    minor: int
    warp_size: int


def simulate_device(device: DeviceProperties) -> None:
    """Simulates a device with these properties in this process, before any user code is loaded. Raises NotHere."""
    properties = Properties(**device)
    try:
        tensors()
        runtime(properties)
        distributed()
        compilers()
        triton_interpreter.prepare(properties)
    except Exception as error:
        raise NotHere(f"a device cannot be simulated with PyTorch {torch.__version__} ({error})") from None


def on_processor(device: Any) -> Any:
    """Returns the processor in place of an accelerator; other devices unchanged."""
    is_ours = isinstance(device, int) and not isinstance(device, bool) or str(device).startswith(("cuda", "hip"))
    return torch.device("cpu") if is_ours else device


def mapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function so that devices in its arguments (by keyword, or positional as device or text) are mapped to
    the processor."""

    def call(*arguments: Any, **named: Any) -> Any:
        if named.get("device") is not None:
            named["device"] = on_processor(named["device"])
        named.pop("pin_memory", None)
        # A positional number is a size, never a device.
        first = [on_processor(one) if isinstance(one, (str, torch.device)) else one for one in arguments]
        return function(*first, **named)

    return call


def tensors() -> None:
    """Makes all tensors be created on the processor, whatever device is requested."""
    for name in FACTORIES:
        if hasattr(torch, name):
            setattr(torch, name, mapped(getattr(torch, name)))
    kind: Any = torch.Tensor
    for name in METHODS:
        setattr(kind, name, mapped(getattr(kind, name)))
    kind.cuda = lambda self, *_, **__: self
    kind.pin_memory = lambda self, *_, **__: self
    kind.is_pinned = lambda self, *_, **__: True
    kind.record_stream = lambda self, *_: None
    kind.get_device = lambda self: Current.index
    kind.is_cuda = property(lambda self: True)
    kind.device = property(lambda self: torch.device("cuda", Current.index))
    if not hasattr(kind, "untyped_storage"):  # Triton's interpreter uses this method, which PyTorch has since 2.0.
        kind.untyped_storage = lambda self: self.storage()._storage
    library: Any = torch
    library.Generator = generators(torch.Generator)
    library.set_default_device = lambda device: None


def generators(own: type) -> type:
    """Returns the class of generators. It can be called, used in annotations and in isinstance."""

    class Kind(type(own)):
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, own)

    class Generator(own, metaclass=Kind):
        """A generator on the processor, whatever device is requested."""

        def __new__(cls, device: Any = "cpu") -> Any:
            generator = own.__new__(cls, on_processor(device))
            generator.named = torch.device("cuda", Current.index) if on_processor(device) != device else torch.device(device)
            return generator

        def __init__(self, device: Any = "cpu") -> None:
            pass

        @property
        def device(self) -> torch.device:
            """Device that was requested."""
            return self.named

    return Generator


class Current:
    """Index of the device chosen by `torch.cuda.set_device`."""

    index = 0

    @classmethod
    def choose(cls, device: Any) -> None:
        """Sets the device by number, name or torch.device; -1 changes nothing."""
        index: int | None = device if isinstance(device, int) else torch.device(device).index
        if index is not None and index >= 0:
            cls.index = index


def refusing(what: str) -> type:
    """Returns a class that raises NotHere when instantiated. It can be used in annotations and in isinstance."""
    return type("NotHere", (), {"__new__": staticmethod(refuse(what))})


class Nothing(contextlib.nullcontext[None]):
    """A context manager without effect, for any arguments."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()


def runtime(device: Properties) -> None:
    """Makes `torch.cuda` report an available, idle device."""
    cuda: Any = torch.cuda
    answers: dict[str, object] = {
        "is_available": True, "is_initialized": True, 
        # The tester sets POPCORN_GPUS for a harness for several devices.
        "device_count": int(os.environ.get("POPCORN_GPUS", "1")),
        "get_device_name": device.name, "get_device_capability": (device.major, device.minor),
        "get_device_properties": device, "is_bf16_supported": True, "is_current_stream_capturing": False,
        "mem_get_info": (device.total_memory, device.total_memory),
    }  # fmt: skip
    for name in "memory_allocated max_memory_allocated memory_reserved max_memory_reserved utilization".split():
        answers[name] = 0
    for name in "init synchronize empty_cache ipc_collect _sleep reset_peak_memory_stats".split():
        answers[name] = None
    for name, answer in answers.items():
        setattr(cuda, name, lambda *_, answer=answer, **__: answer)
    cuda.set_device, cuda.current_device = Current.choose, lambda: Current.index
    only = Stream()
    cuda.current_stream = cuda.default_stream = lambda *_: only
    cuda.Stream = cuda.ExternalStream = Stream
    cuda.Event = Event
    cuda.stream = cuda.device = cuda.device_of = Nothing
    # Not torch.manual_seed, which calls these functions.
    cuda.manual_seed = cuda.manual_seed_all = lambda seed: torch.default_generator.manual_seed(seed)
    cuda.CUDAGraph = cuda.graph = cuda.make_graphed_callables = refusing("CUDA graphs")
    for name in ("range_push", "range_pop", "mark"):
        setattr(cuda.nvtx, name, lambda *_, **__: None)
    cuda.nvtx.range = lambda *_, **__: contextlib.nullcontext()
    version: Any = importlib.import_module("torch.version")
    if device.warp_size == 64:
        version.hip = "6.4"
    else:
        version.cuda = "12.8"


def distributed() -> None:
    """Makes process groups use Gloo, for any requested backend and device."""
    library: Any = importlib.import_module("torch.distributed")
    if not library.is_available():
        return
    # By default PyTorch serves `tcp://` addresses by libuv from 2.4 on, without which Debian builds it.
    os.environ.setdefault("USE_LIBUV", "0")
    first, further, barrier = library.init_process_group, library.new_group, library.barrier

    def init_process_group(backend: Any = None, *rest: Any, **named: Any) -> Any:
        named = {key: value for key, value in named.items() if key not in ("pg_options", "device_id")}
        return first("gloo", *rest[:6], **named)

    def new_group(ranks: Any = None, timeout: Any = None, *_: Any, **__: Any) -> Any:
        # The other arguments are the device's, or names, and older versions of PyTorch do not have all of them.
        return further(ranks, backend="gloo", **({} if timeout is None else {"timeout": timeout}))

    library.init_process_group, library.new_group = init_process_group, new_group
    library.barrier = lambda group=None, async_op=False, device_ids=None: barrier(group, async_op)
    library.is_nccl_available = lambda: True


def compilers() -> None:
    """Refuses compilation for the device; compilation for the processor works unchanged."""
    library: Any = torch
    library.compile = lambda model=None, **_: model if model is not None else lambda function: function
    try:
        builder: Any = importlib.import_module("torch.utils.cpp_extension")
    except ImportError:
        return
    load, load_inline = builder.load, builder.load_inline

    def from_files(name: str, sources: Any, *rest: Any, **named: Any) -> Any:
        listed = [sources] if isinstance(sources, str) else sources
        if named.get("with_cuda") or any(str(one).endswith((".cu", ".cuh", ".hip")) for one in listed):
            refuse(BUILDERS)()
        return load(name, sources, *rest, **named)

    def inline(name: str, cpp_sources: Any, cuda_sources: Any = None, *rest: Any, **named: Any) -> Any:
        if cuda_sources or named.get("with_cuda"):
            refuse(BUILDERS)()
        return load_inline(name, cpp_sources, cuda_sources, *rest, **named)

    builder.load, builder.load_inline = from_files, inline


def in_other_words(error: BaseException) -> BaseException:
    """Converts an error caused by the missing device to NotHere; other errors unchanged."""
    if isinstance(error, NotHere):
        return error
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        return NotHere(f"it imports {error.name}, which is not installed here")
    if triton_interpreter.UNKNOWN in str(error):
        return NotHere(f"it uses what Triton's interpreter does not have ({error})")
    if NO_DEVICE.search(str(error)) or OF_DEVICE.search(str(error)):
        return NotHere(f"it asks PyTorch for a device in a way that is not mapped to the processor ({error})")
    return error


class Stream:
    """A stream whose work is done synchronously."""

    cuda_stream = device_index = 0
    priority = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Does nothing: the other stream is always idle."""

    wait_event = wait_stream

    def synchronize(self) -> None:
        """Does nothing: the stream is always idle."""

    def query(self) -> bool:
        """Whether the stream is idle: always."""
        return True

    def record_event(self, event: Event | None = None) -> Event:
        """Records an event, by default a new one, and returns it."""
        event = event or Event()
        event.record()
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class Event:
    """A point in time, by the processor's clock."""

    cuda_event = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self.at = time.perf_counter()

    def record(self, stream: Any = None) -> None:
        """Records the current time."""
        self.at = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Does nothing: the event has always occurred."""

    synchronize = wait

    def query(self) -> bool:
        """Whether the event has occurred: always."""
        return True

    def elapsed_time(self, other: Event) -> float:
        """Returns the milliseconds between two events."""
        return 1e3 * (other.at - self.at)
