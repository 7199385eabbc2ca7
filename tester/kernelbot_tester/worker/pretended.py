"""An accelerator that is not there, for rehearsals: tensors are the processor's and say that they lie on `cuda`.

For the worker of somebody who tries his own kernel on a machine without the device. Never where anything is judged:
what is computed here, the device computes in another order and precision.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import time
import types
from typing import Any, Callable

import torch

from . import interpreted
from .faults import NotHere, refuse

#: Functions of `torch` and methods of tensors that may be told a device.
FACTORIES = """arange as_tensor asarray bartlett_window blackman_window empty empty_like empty_strided eye full
    full_like hamming_window hann_window kaiser_window linspace logspace normal ones ones_like rand rand_like randint randint_like
    randn randn_like randperm scalar_tensor sparse_coo_tensor tensor tril_indices triu_indices zeros
    zeros_like""".split()
METHODS = "new_empty new_empty_strided new_full new_ones new_tensor new_zeros to".split()
#: What PyTorch says where it is asked for a device by a way that is not mapped to the processor.
NO_DEVICE = re.compile(
    r"not compiled with CUDA|not linked with CUDA|NVIDIA driver|No (CUDA|HIP) GPUs|accelerator support|\bgloo\b|\bnccl\b",
    re.IGNORECASE,
)
#: An error that speaks of a device speaks of what is not here: no tensor lies anywhere but on the processor.
OF_DEVICE = re.compile(r"cuda|cudnn|\bhip\b|nvml|torch\.accelerator|device_id", re.I)
BUILDERS = "inline CUDA and HIP, which are compiled for a device"


class Properties(types.SimpleNamespace):
    """As `torch.cuda.get_device_properties` gives them: name, total_memory (bytes), multi_processor_count, major,
    minor, warp_size."""


def pretend(device: dict[str, Any]) -> None:
    """Lets this process believe in a device of these properties, before any user code is there. Raises NotHere."""
    properties = Properties(**device)
    try:
        tensors()
        runtime(properties)
        distributed()
        compilers()
        interpreted.prepare(properties)
    except Exception as error:
        raise NotHere(f"a device cannot be pretended with PyTorch {torch.__version__} ({error})") from None


def on_processor(device: Any) -> Any:
    """What takes the place of a device that is named."""
    is_ours = isinstance(device, int) and not isinstance(device, bool) or str(device).startswith(("cuda", "hip"))
    return torch.device("cpu") if is_ours else device


def mapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is told another device than the caller names: by name, or as a device or text among the rest."""

    def call(*arguments: Any, **named: Any) -> Any:
        if named.get("device") is not None:
            named["device"] = on_processor(named["device"])
        named.pop("pin_memory", None)
        # A number is a size there, and no device.
        first = [on_processor(one) if isinstance(one, (str, torch.device)) else one for one in arguments]
        return function(*first, **named)

    return call


def tensors() -> None:
    """Makes tensors the processor's, whatever device they are asked to be made on or moved to."""
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
    if not hasattr(kind, "untyped_storage"):  # Triton's interpreter asks for what PyTorch has since 2.0.
        kind.untyped_storage = lambda self: self.storage()._storage
    library: Any = torch
    library.Generator = generators(torch.Generator)
    library.set_default_device = lambda device: None


def generators(own: type) -> type:
    """The class of generators, which is named in annotations and asked for instances as well as called."""

    class Kind(type(own)):
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, own)

    class Generator(own, metaclass=Kind):
        """A generator of the processor's, whatever device it is asked for."""

        def __new__(cls, device: Any = "cpu") -> Any:
            generator = own.__new__(cls, on_processor(device))
            generator.named = torch.device("cuda", Current.index) if on_processor(device) != device else torch.device(device)
            return generator

        def __init__(self, device: Any = "cpu") -> None:
            pass

        @property
        def device(self) -> torch.device:
            """As it was asked for."""
            return self.named

    return Generator


class Current:
    """The number of the device that `torch.cuda.set_device` has chosen."""

    index = 0

    @classmethod
    def choose(cls, device: Any) -> None:
        """By number, name or device; -1 changes nothing."""
        index = device if isinstance(device, int) else torch.device(device).index
        if index is not None and index >= 0:
            cls.index = index


def refusing(what: str) -> type:
    """As `refuse`, for what is a class: it can be named in annotations and asked for instances."""
    return type("NotHere", (), {"__new__": staticmethod(refuse(what))})


class Nothing(contextlib.nullcontext):
    """A context that changes nothing, whatever it is given."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()


def runtime(device: Properties) -> None:
    """Makes `torch.cuda` answer as if the device were there, idle, and done with everything."""
    cuda: Any = torch.cuda
    answers: dict[str, Any] = {
        "is_available": True, "is_initialized": True, 
        # A harness for several devices is told their number.
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
    # Not torch.manual_seed, which calls these.
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
    """Makes groups of processes talk by Gloo, whichever backend and device they ask for."""
    library: Any = importlib.import_module("torch.distributed")
    if not library.is_available():
        return
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
    """Refuses what compiles for the device; what is compiled for the processor works as ever."""
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
    """An error that tells what is not here, in place of one that would blame the submission."""
    if isinstance(error, NotHere):
        return error
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        return NotHere(f"it imports {error.name}, which is not installed here")
    if interpreted.UNKNOWN in str(error):
        return NotHere(f"it uses what Triton's interpreter does not have ({error})")
    if NO_DEVICE.search(str(error)) or OF_DEVICE.search(str(error)):
        return NotHere(f"it asks PyTorch for a device in a way that is not mapped to the processor ({error})")
    return error


class Stream:
    """A stream on which everything is done at once."""

    cuda_stream = device_index = 0
    priority = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """The other has nothing left to do."""

    wait_event = wait_stream

    def synchronize(self) -> None:
        """Nothing is left to do."""

    def query(self) -> bool:
        """Whether everything is done."""
        return True

    def record_event(self, event: Event | None = None) -> Event:
        """An event of this moment."""
        event = event or Event()
        event.record()
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class Event:
    """A moment, by the processor's clock."""

    cuda_event = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self.at = time.perf_counter()

    def record(self, stream: Any = None) -> None:
        """It is now."""
        self.at = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """It has been."""

    synchronize = wait

    def query(self) -> bool:
        """Whether it has been."""
        return True

    def elapsed_time(self, other: Event) -> float:
        """Milliseconds between two."""
        return 1e3 * (other.at - self.at)
