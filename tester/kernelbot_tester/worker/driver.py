"""The driver of an accelerator as judge and worker use it: memory shared between processes, events,
synchronisation."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from ctypes import byref, c_float, c_int, c_size_t, c_uint64, c_void_p
from typing import Any, Callable, ContextManager

import torch

from .driver_calls import Access, AllocationProperties, Calls, DriverError, Location
from .driver_choice import DriverChoice

#: CUdevice_attribute: whether memory can be exported as files; how much of the L2 cache can be set aside for
#: persisting lines.
SHAREABLE, MAX_PERSISTING = 103, 108
#: Attribute number of the size of the L2 cache: CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, hipDeviceAttributeL2CacheSize.
L2_CACHE_SIZE = {"cu": 38, "hip": 19}
#: CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
#: CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED; HIP has the same numbers.
PINNED, ON_DEVICE, AS_FILE, READ_WRITE, RECOMMENDED = 1, 1, 1, 3, 1
#: CU_STREAM_WAIT_VALUE_GEQ.
AT_LEAST = 0
#: Minimum granularity. Memory in pieces smaller than a large page is slower than what kernels get from PyTorch, and
#: HIP before 7.14 recommends pages of 4 KiB (ROCm/rocm-systems#1176).
LARGE_PAGE = 2 << 20


class Driver:
    """The driver, opened in this process, which must not fork from here on. `number`: ordinal of the device where the
    process opens several; None: the first is the only one. Raises DriverError."""

    def __init__(self, choice: DriverChoice, number: int | None = None) -> None:
        self.api, self.tensors = choice.api, choice.tensors
        self.number = number or 0
        numbered = self.tensors == "cuda" and number is not None
        #: PyTorch's name of this device.
        self.place = f"cuda:{number}" if numbered else self.tensors
        self._here = (lambda: torch.cuda.device(number)) if numbered else contextlib.nullcontext
        self.calls = Calls(choice)
        self.device = self.calls.device(self.number)
        if self.tensors == "cuda":
            # PyTorch creates the primary context and stays in it, so its tensors and our calls share one context.
            torch.cuda.init()
            torch.cuda.synchronize(self.place)
        if self.api == "cu":
            context = c_void_p()
            self._call("primary", byref(context), self.device)
            self._call("enter", context)
        self.properties = AllocationProperties(PINNED, AS_FILE, Location(ON_DEVICE, self.number))
        if self.api == "cu" and not self.calls.attribute(SHAREABLE, self.device):
            raise DriverError("this device cannot share memory between processes by files (virtual memory management)")
        size = c_size_t()
        self._call("granularity", byref(size), byref(self.properties), RECOMMENDED)
        self.granularity = max(size.value, LARGE_PAGE)
        self.l2_bytes = self.calls.attribute(L2_CACHE_SIZE[self.api], self.device)
        # Devices before Ampere have no persisting lines, and the calls for them fail.
        self.keeps_lines = self.api == "cu" and self.calls.attribute(MAX_PERSISTING, self.device) > 0
        # HIP before 7.1 takes the address of the file descriptor instead of its value.
        self.file_by_address = self.api == "hip" and self.calls.version() < (7, 1)

    def _call(self, name: str, *arguments: Any) -> None:
        with self._here():
            self.calls.call(name, *arguments)

    def inside(self) -> ContextManager[Any]:
        """Returns a context manager in which PyTorch's `cuda` is this device."""
        return self._here()

    @functools.cached_property
    def stream(self) -> Callable[[], int | None]:
        """Function that returns PyTorch's current stream."""
        if self.tensors != "cuda":
            return lambda: None
        stream_of: Callable[[int], int] = getattr(getattr(torch, "_C"), "_cuda_getCurrentRawStream")
        return functools.partial(stream_of, self.number)

    # ---- memory

    def create(self, size: int) -> int:
        """Allocates physical memory of `size` bytes, a multiple of the granularity. Returns its handle."""
        handle = c_uint64()
        self._call("create", byref(handle), size, byref(self.properties), 0)
        return handle.value

    def hand_out(self, handle: int) -> int:
        """Exports the memory as an open file, for another process."""
        file = c_int(-1)
        self._call("hand_out", byref(file), handle, AS_FILE, 0)
        os.set_inheritable(file.value, False)
        return file.value

    def take_in(self, file: int) -> int:
        """Imports memory that another process exported. Returns its handle."""
        handle = c_uint64()
        number = c_int(file)
        where = ctypes.cast(byref(number), c_void_p) if self.file_by_address else c_void_p(file)
        self._call("take_in", byref(handle), where, AS_FILE)
        return handle.value

    def map(self, handle: int, size: int) -> int:
        """Maps the memory for reading and writing. Returns its address."""
        address = c_uint64()
        self._call("reserve", byref(address), size, self.granularity, 0, 0)
        with contextlib.ExitStack() as undo:
            undo.callback(self._call, "unreserve", address.value, size)
            self._call("map", address.value, size, 0, handle, 0)
            undo.callback(self._call, "unmap", address.value, size)
            self._call("allow", address.value, size, byref(Access(Location(ON_DEVICE, self.number), READ_WRITE)), 1)
            undo.pop_all()
        return address.value

    def unmap(self, address: int, size: int) -> None:
        """Unmaps the memory and frees the address range."""
        self._call("unmap", address, size)
        self._call("unreserve", address, size)

    def release(self, handle: int) -> None:
        """Releases the handle. The memory is freed once no process maps it."""
        self._call("release", handle)

    def raw(self, address: int, count: int) -> torch.Tensor:
        """Returns `count` bytes at an address as a tensor of uint8, which does not own them."""
        if count == 0:
            return torch.empty(0, dtype=torch.uint8, device=self.place)
        if self.tensors == "cpu":
            return torch.frombuffer((ctypes.c_uint8 * count).from_address(address), dtype=torch.uint8)
        return torch.as_tensor(Bytes(address, count), device=self.place)

    # ---- time

    def synchronize(self) -> None:
        """Waits until the device has finished all work of this process, on every stream."""
        self._call("synchronize")

    def new_event(self) -> c_void_p:
        """Creates an event with timing."""
        event = c_void_p()
        self._call("new_event", byref(event), 0)
        return event

    def recorder(self, event: c_void_p) -> Callable[[], object]:
        """Returns a function that records the event in PyTorch's current stream and does nothing else: work between two
        events counts as time of the kernel."""
        record, stream = self.calls.function("record"), self.stream
        return lambda: record(event, stream())

    def wait_for_word(self, address: int, value: int) -> None:
        """Makes PyTorch's current stream wait until the 32-bit word at this address is at least `value`. Only HIP's
        function takes a mask of the bits."""
        mask = (0xFFFFFFFF,) if self.api == "hip" else ()
        self._call("wait_for_word", self.stream(), address, value, AT_LEAST, *mask)

    def elapsed_ns(self, start: c_void_p, end: c_void_p) -> float:
        """Returns the nanoseconds between two recorded events, by the device's clock."""
        milliseconds = c_float()
        self._call("elapsed", byref(milliseconds), start, end)
        return milliseconds.value * 1e6

    def forget_persisting_lines(self) -> None:
        """Resets persisting lines of the L2 cache to normal."""
        if self.keeps_lines:
            self._call("reset_persisting")


class Bytes:
    """Device memory with numba's `__cuda_array_interface__`, version 2, as PyTorch accepts it."""

    def __init__(self, address: int, count: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (count,),
            "typestr": "|u1",
            "data": (address, False),
            "strides": None,
            "version": 2,
        }
