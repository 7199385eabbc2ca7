"""Functions of an accelerator's driver: their names in CUDA and HIP, and their arguments.

Sources: CUDA driver API, sections 6.2 (version), 6.3 (initialization), 6.5 (devices), 6.7 (primary context), 6.8
(contexts), 6.14 (virtual memory management), 6.19 (events), 6.21 (stream memory operations); HIP runtime API, sections Initialization and Version,
Device Management, Virtual Memory Management, Event Management, Stream Memory Operations.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_ushort, c_void_p
from typing import Any

from .driver_choice import DriverChoice


class DriverError(Exception):
    """A call of the driver failed; the message names it."""


class Location(ctypes.Structure):
    """`CUmemLocation`: type of a location and its number."""

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
    """`CUmemAllocationProp`: device of the memory, and the handle type for sharing it."""

    _fields_ = [
        ("type", c_int),
        ("handle_types", c_int),
        ("location", Location),
        ("win32", c_void_p),
        ("flags", AllocationFlags),
    ]


class Access(ctypes.Structure):
    """`CUmemAccessDesc`: access rights of a location."""

    _fields_ = [("location", Location), ("flags", c_int)]


#: For each call its name in CUDA and HIP, None where the API has none, and its argument types. Each returns 0 or an
#: error number. Names with a version are those to which the headers map the plain ones.
CALLS: dict[str, tuple[str | None, str | None, list[Any]]] = {
    "init": ("cuInit", "hipInit", [c_uint]),
    "version": ("cuDriverGetVersion", "hipRuntimeGetVersion", [POINTER(c_int)]),
    "count": ("cuDeviceGetCount", "hipGetDeviceCount", [POINTER(c_int)]),
    "device": ("cuDeviceGet", "hipDeviceGet", [POINTER(c_int), c_int]),
    "name": ("cuDeviceGetName", "hipDeviceGetName", [c_char_p, c_int, c_int]),
    "memory": ("cuDeviceTotalMem_v2", "hipDeviceTotalMem", [POINTER(c_size_t), c_int]),
    "bus_id": ("cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId", [c_char_p, c_int, c_int]),
    "attribute": ("cuDeviceGetAttribute", "hipDeviceGetAttribute", [POINTER(c_int), c_int, c_int]),
    "primary": ("cuDevicePrimaryCtxRetain", None, [POINTER(c_void_p), c_int]),
    "enter": ("cuCtxSetCurrent", None, [c_void_p]),
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
    "wait_for_word": ("cuStreamWaitValue32_v2", "hipStreamWaitValue32", [c_void_p, c_uint64, c_uint, c_uint]),
    "reset_persisting": ("cuCtxResetPersistingL2Cache", None, []),
}


class Calls:
    """The driver's library, loaded and initialised. A process with an initialised driver must not fork. Raises
    DriverError, and OSError where the library cannot be loaded."""

    def __init__(self, choice: DriverChoice) -> None:
        self.api = choice.api
        # PyTorch for HIP includes its own copy of the runtime, and a process can have only one.
        self.library = ctypes.CDLL(loaded("libamdhip64") or choice.library)
        self.call("init", 0)

    def function(self, name: str) -> Any:
        """Returns a function, which returns 0 or an error number. Raises DriverError."""
        cuda, hip, kinds = CALLS[name]
        symbol = cuda if self.api == "cu" else hip
        try:
            assert symbol is not None, name
            function = getattr(self.library, symbol)
        except AttributeError:
            raise DriverError(f"{self.library._name} has no {symbol}: install a newer driver") from None
        function.restype, function.argtypes = c_int, kinds
        return function

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function. Raises DriverError."""
        function = self.function(name)
        result = function(*arguments)
        if result != 0:
            raise DriverError(f"{function.__name__} failed with error {result} ({self._named(result)})")

    def _named(self, error: int) -> str:
        """Returns an error's name, such as `CUDA_ERROR_OUT_OF_MEMORY`."""
        name = c_char_p()
        if self.api == "cu":
            self.library.cuGetErrorName(error, byref(name))
            return (name.value or b"unknown").decode("ascii", "replace")
        function = self.library.hipGetErrorName
        function.restype = c_char_p
        return (function(error) or b"unknown").decode("ascii", "replace")

    def version(self) -> tuple[int, int]:
        """Returns the newest CUDA version that the driver supports, or the version of HIP: major and minor."""
        value = c_int()
        self.call("version", byref(value))
        # 12040 is CUDA 12.4, 60342131 HIP 6.3.
        major, minor = (1000, 10) if self.api == "cu" else (10_000_000, 100_000)
        return value.value // major, value.value % major // minor

    def count(self) -> int:
        """Returns the number of devices visible to this process."""
        value = c_int()
        self.call("count", byref(value))
        return value.value

    def device(self, ordinal: int) -> int:
        """Returns the device with this ordinal."""
        value = c_int()
        self.call("device", byref(value), ordinal)
        return value.value

    def name(self, device: int) -> str:
        """Returns the vendor's model name."""
        text = ctypes.create_string_buffer(256)
        self.call("name", text, len(text), device)
        return text.value.decode("utf-8", "replace").strip()

    def memory_bytes(self, device: int) -> int:
        """Returns the size of the device's memory."""
        value = c_size_t()
        self.call("memory", byref(value), device)
        return value.value

    def bus_id(self, device: int) -> str:
        """Returns the PCI address, such as `0000:c1:00.0`."""
        text = ctypes.create_string_buffer(64)
        self.call("bus_id", text, len(text), device)
        return text.value.decode("ascii", "replace").lower()

    def attribute(self, number: int, device: int) -> int:
        """Returns an attribute; `number` is the API's constant."""
        value = c_int()
        self.call("attribute", byref(value), number, device)
        return value.value


def loaded(name: str) -> str | None:
    """Returns the path of a library that this process has already loaded, or None."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        paths = {line.split(maxsplit=5)[5].strip() for line in file if f"/{name}" in line}
    return min(paths, default=None)
