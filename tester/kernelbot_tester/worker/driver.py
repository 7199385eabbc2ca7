"""The driver of an accelerator, as judge and worker call it: memory that two processes share, events, the end of all
work. CUDA and HIP name the same calls differently.

Sources: CUDA driver API, sections 6.4 (primary context), 6.14 (virtual memory management), 6.19 (events);
HIP runtime API, sections Virtual Memory Management and Event Management.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from ctypes import POINTER, byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_ushort, c_void_p
from typing import Any, ContextManager

import torch

from .choice import DriverChoice

#: CUdevice_attribute: bytes of the second-level cache; whether memory can be handed out as files.
L2_CACHE_SIZE, SHAREABLE = 38, 103
#: Bytes of the caches of AMD devices, at most: the Infinity Cache of an MI300, which lies behind the second level.
AMD_CACHE_BYTES = 256 << 20
#: CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
#: CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ALLOC_GRANULARITY_MINIMUM; HIP has the same numbers.
PINNED, ON_DEVICE, AS_FILE, READ_WRITE, MINIMUM = 1, 1, 1, 3, 0
#: CU_LIMIT_PERSISTING_L2_CACHE_SIZE
PERSISTING_L2 = 6


class Location(ctypes.Structure):
    """`CUmemLocation`: a kind of place and its number."""

    _fields_ = [("type", c_int), ("id", c_int)]


class AllocationFlags(ctypes.Structure):
    """`CUmemAllocationProp.allocFlags`."""

    _fields_ = [
        ("compression", ctypes.c_ubyte),
        ("rdma", ctypes.c_ubyte),
        ("usage", c_ushort),
        ("reserved", ctypes.c_ubyte * 4),
    ]


class AllocationProperties(ctypes.Structure):
    """`CUmemAllocationProp`: memory of which device, to be handed out how."""

    _fields_ = [
        ("type", c_int),
        ("handle_types", c_int),
        ("location", Location),
        ("win32", c_void_p),
        ("flags", AllocationFlags),
    ]


class Access(ctypes.Structure):
    """`CUmemAccessDesc`: who may do what."""

    _fields_ = [("location", Location), ("flags", c_int)]


#: For each call its name in CUDA and HIP, and its arguments. Each gives 0, or the number of an error.
CALLS: dict[str, tuple[str, str, list[Any]]] = {
    "init": ("cuInit", "hipInit", [c_uint]),
    "granularity": (
        "cuMemGetAllocationGranularity",
        "hipMemGetAllocationGranularity",
        [POINTER(c_size_t), POINTER(AllocationProperties), c_int],
    ),
    "create": ("cuMemCreate", "hipMemCreate", [POINTER(c_uint64), c_size_t, POINTER(AllocationProperties), c_uint64]),
    "hand_out": (
        "cuMemExportToShareableHandle",
        "hipMemExportToShareableHandle",
        [POINTER(c_int), c_uint64, c_int, c_uint64],
    ),
    "take_in": (
        "cuMemImportFromShareableHandle",
        "hipMemImportFromShareableHandle",
        [POINTER(c_uint64), c_void_p, c_int],
    ),
    "reserve": (
        "cuMemAddressReserve",
        "hipMemAddressReserve",
        [POINTER(c_uint64), c_size_t, c_size_t, c_uint64, c_uint64],
    ),
    "map": ("cuMemMap", "hipMemMap", [c_uint64, c_size_t, c_size_t, c_uint64, c_uint64]),
    "allow": ("cuMemSetAccess", "hipMemSetAccess", [c_uint64, c_size_t, POINTER(Access), c_size_t]),
    "unmap": ("cuMemUnmap", "hipMemUnmap", [c_uint64, c_size_t]),
    "unreserve": ("cuMemAddressFree", "hipMemAddressFree", [c_uint64, c_size_t]),
    "release": ("cuMemRelease", "hipMemRelease", [c_uint64]),
    "synchronize": ("cuCtxSynchronize", "hipDeviceSynchronize", []),
    "new_event": ("cuEventCreate", "hipEventCreateWithFlags", [POINTER(c_void_p), c_uint]),
    "record": ("cuEventRecord", "hipEventRecord", [c_void_p, c_void_p]),
    "elapsed": ("cuEventElapsedTime", "hipEventElapsedTime", [POINTER(c_float), c_void_p, c_void_p]),
}
#: What is CUDA's alone: attributes by number, the context, and the lines that a kernel asked to keep in the cache.
CUDA_CALLS: dict[str, tuple[str, list[Any]]] = {
    "attribute": ("cuDeviceGetAttribute", [POINTER(c_int), c_int, c_int]),
    "primary": ("cuDevicePrimaryCtxRetain", [POINTER(c_void_p), c_int]),
    "enter": ("cuCtxSetCurrent", [c_void_p]),
    "reset_persisting": ("cuCtxResetPersistingL2Cache", []),
    "limit": ("cuCtxSetLimit", [c_int, c_size_t]),
}


class DriverError(Exception):
    """A call of the driver failed; the message names it."""


class Driver:
    """The driver, opened in this process: from here on it must not fork. `number` is that of a device beside which this
    process opens others; without it, the first is the only one."""

    def __init__(self, choice: DriverChoice, number: int | None = None) -> None:
        self.api, self.tensors = choice.api, choice.tensors
        self.number = number or 0
        numbered = self.tensors == "cuda" and number is not None
        #: Where PyTorch puts tensors of this device.
        self.place = f"cuda:{number}" if numbered else self.tensors
        self._here = (lambda: torch.cuda.device(number)) if numbered else contextlib.nullcontext
        # PyTorch for HIP brings its own copy of the runtime, and a process can have only one.
        library = ctypes.CDLL(loaded("libamdhip64") or choice.library)
        names = {name: (cuda if self.api == "cu" else hip, kinds) for name, (cuda, hip, kinds) in CALLS.items()}
        if self.api == "cu":
            names.update(CUDA_CALLS)
        self.calls: dict[str, tuple[str, Any]] = {}
        for name, (symbol, kinds) in names.items():
            function = getattr(library, symbol)
            function.restype, function.argtypes = c_int, kinds
            self.calls[name] = (symbol, function)
        self._call("init", 0)
        if self.tensors == "cuda":
            # PyTorch makes the primary context and stays in it, so its tensors and our calls share one.
            torch.cuda.init()
            torch.cuda.synchronize(self.place)
        if self.api == "cu":
            context = c_void_p()
            self._call("primary", byref(context), self.number)
            self._call("enter", context)
        self.properties = AllocationProperties(PINNED, AS_FILE, Location(ON_DEVICE, self.number))
        if self.api == "cu" and not self._attribute(SHAREABLE):
            raise DriverError("this device cannot share memory between processes by files (virtual memory management)")
        size = c_size_t()
        self._call("granularity", byref(size), byref(self.properties), MINIMUM)
        self.granularity = size.value
        self.cache_bytes = self._attribute(L2_CACHE_SIZE) if self.api == "cu" else AMD_CACHE_BYTES

    def _call(self, name: str, *arguments: Any) -> None:
        symbol, function = self.calls[name]
        with self._here():
            result = function(*arguments)
        if result != 0:
            raise DriverError(f"{symbol} failed with error {result}")

    def _attribute(self, number: int) -> int:
        """An attribute of a CUDA device."""
        value = c_int()
        self._call("attribute", byref(value), number, self.number)
        return value.value

    def inside(self) -> ContextManager[Any]:
        """In here, PyTorch's `cuda` is this device."""
        return self._here()

    # ---- memory

    def create(self, size: int) -> int:
        """Physical memory of `size` bytes, a multiple of the granularity, as a handle."""
        handle = c_uint64()
        self._call("create", byref(handle), size, byref(self.properties), 0)
        return handle.value

    def hand_out(self, handle: int) -> int:
        """The memory as an open file, for another process."""
        file = c_int(-1)
        self._call("hand_out", byref(file), handle, AS_FILE, 0)
        os.set_inheritable(file.value, False)
        return file.value

    def take_in(self, file: int) -> int:
        """The handle of memory that another process handed out."""
        handle = c_uint64()
        # HIP before 7.1 wants to know where the number lies.
        by_reference = self.api == "hip" and hip_version() < (7, 1)
        number = c_int(file)
        where = ctypes.cast(byref(number), c_void_p) if by_reference else c_void_p(file)
        self._call("take_in", byref(handle), where, AS_FILE)
        return handle.value

    def map(self, handle: int, size: int) -> int:
        """The address at which this process reads and writes the memory."""
        address = c_uint64()
        self._call("reserve", byref(address), size, 0, 0, 0)
        self._call("map", address.value, size, 0, handle, 0)
        self._call("allow", address.value, size, byref(Access(Location(ON_DEVICE, self.number), READ_WRITE)), 1)
        return address.value

    def unmap(self, address: int, size: int) -> None:
        """Gives the address back."""
        self._call("unmap", address, size)
        self._call("unreserve", address, size)

    def release(self, handle: int) -> None:
        """Lets the memory go once nobody maps it."""
        self._call("release", handle)

    def raw(self, address: int, count: int) -> torch.Tensor:
        """`count` bytes at an address as a tensor of uint8, which does not own them."""
        if count == 0:
            return torch.empty(0, dtype=torch.uint8, device=self.place)
        if self.tensors == "cpu":
            return torch.frombuffer((ctypes.c_uint8 * count).from_address(address), dtype=torch.uint8)
        return torch.as_tensor(Bytes(address, count), device=self.place)

    # ---- time

    def synchronize(self) -> None:
        """Waits until the device has done all that this process asked for, on every stream."""
        self._call("synchronize")

    def new_event(self) -> c_void_p:
        """An event that knows its time."""
        event = c_void_p()
        self._call("new_event", byref(event), 0)
        return event

    def record(self, event: c_void_p) -> None:
        """Has the event happen when PyTorch's current stream comes to it."""
        stream = torch.cuda.current_stream().cuda_stream if self.tensors == "cuda" else 0
        self._call("record", event, c_void_p(stream))

    def elapsed_ns(self, start: c_void_p, end: c_void_p) -> float:
        """Nanoseconds between two events that have happened, by the device's clock."""
        milliseconds = c_float()
        self._call("elapsed", byref(milliseconds), start, end)
        return milliseconds.value * 1e6

    def forget_persisting_lines(self) -> None:
        """Lines of the cache that a kernel asked to keep are lines like others again, and none is kept from here on."""
        if self.api == "cu":
            self._call("limit", PERSISTING_L2, 0)
            self._call("reset_persisting")


class Bytes:
    """Device memory as PyTorch takes it (numba's `__cuda_array_interface__`, version 2)."""

    def __init__(self, address: int, count: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (count,),
            "typestr": "|u1",
            "data": (address, False),
            "strides": None,
            "version": 2,
        }


def loaded(name: str) -> str | None:
    """The path of a library that this process has loaded already."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        paths = {line.split(maxsplit=5)[5].strip() for line in file if f"/{name}" in line}
    return min(paths, default=None)


def hip_version() -> tuple[int, ...]:
    """The version of HIP that PyTorch was built for."""
    return tuple(int(part) for part in str(getattr(torch, "version").hip).split(".")[:2])
