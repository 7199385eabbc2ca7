"""Bindings of the C library for both sides. `native/*.c` documents what each function does."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_float, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p, py_object
from typing import Any

#: Size of the page that judge and worker share, `struct channel`, and offsets of its words, in bytes.
CHANNEL_BYTES = 4096
PART_OFFSET = 8
DONE_OFFSET = 64
FAILED_OFFSET = 68
DEVICE_NS_OFFSET = 72
#: Bits of the word at `PART_OFFSET`: place of a call in its sequence, and what to do with the calls of a burst.
PART_FIRST, PART_LAST, PART_SUBMIT, PART_WAIT = 1, 2, 4, 8
#: Sockets that a cell may open, `enum sockets` of sockets.h.
NO_SOCKETS, NETWORK, LOCAL_SOCKETS = 0, 1, 2


class Limits(ctypes.Structure):
    """`struct limits` of cell.c."""

    _fields_ = [
        ("memory_bytes", c_uint64),
        ("scratch_bytes", c_uint64),
        ("threads", c_uint64),
        ("open_files", c_uint64),
        ("accelerator", c_uint64),
    ]


class Probes(ctypes.Structure):
    """`struct probes` of channel.h: addresses to read, and the bytes read there."""

    _fields_ = [("places", c_void_p), ("seen", c_void_p), ("count", c_uint32)]


class Sequence(ctypes.Structure):
    """`struct sequence` of channel.h: calls without a pause in between. `probes`: of the outputs of each call."""

    _fields_ = [
        ("first", c_uint32),
        ("count", c_uint32),
        ("finished", c_uint32),
        ("burst", c_uint32),
        ("bindings", POINTER(c_int32)),
        ("probes", POINTER(POINTER(Probes))),
        ("worker", c_int),
        ("tasks", c_int),
        ("used_ns", c_int64),
        ("end_ns", c_uint64),
    ]

    def __init__(
        self,
        first: int,
        bindings: list[int],
        probes: list[Probes],
        burst: int = 0,
        worker: int = 0,
        tasks: int = -1,
    ) -> None:
        # ctypes keeps no reference to what a pointer points to.
        self.kept = (c_int32 * len(bindings))(*bindings), (POINTER(Probes) * len(probes))(*map(ctypes.pointer, probes))
        super().__init__(first, len(bindings), 0, burst, *self.kept, worker, tasks)


class Region(ctypes.Structure):
    """`struct region` of channel.h: address and size of a tensor, and the address of what to write there."""

    _fields_ = [("address", c_void_p), ("bytes", c_uint64), ("source", c_void_p)]


class BoundCall(ctypes.Structure):
    """`struct bound_call` of serve.c: a function, its argument and its only output buffer, by their ids."""

    _fields_ = [("function", c_void_p), ("argument", c_void_p), ("buffer", c_void_p)]


SIGNATURES = {
    "kb_await_order": (c_int32, [c_void_p, c_uint32]),
    "kb_say_done": (None, [c_void_p, c_uint32, c_uint32]),
    "kb_order_message": (None, [c_void_p, c_uint32]),
    "kb_call": (c_int64, [c_void_p, POINTER(Sequence), c_int, c_int, c_uint64, c_uint64, POINTER(c_uint64)]),
    "kb_watch": (c_int64, [c_void_p, POINTER(Sequence), c_uint64, c_int, c_uint64, c_uint64]),
    "kb_release": (None, [c_void_p, POINTER(Sequence), c_int]),
    "kb_fill": (None, [POINTER(Region), c_uint32, c_uint32, c_uint64, c_char_p, c_uint64, POINTER(Probes), c_uint32]),
    "kb_changed": (c_int, [POINTER(Probes)]),
    "kb_evict": (None, [c_void_p, c_uint64]),
    "kb_random_seed": (None, [c_void_p, c_uint64]),
    "kb_random_uniform": (None, [c_void_p, c_void_p, c_uint64]),
    "kb_random_normal": (None, [c_void_p, c_void_p, c_uint64]),
    "kb_random_bytes": (None, [c_void_p, c_void_p, c_uint64]),
    "kb_freeze": (c_int64, [c_int, c_int, c_int, c_uint64, c_uint64, POINTER(c_uint64)]),
    "kb_processor_time": (c_int64, [c_int]),
    "kb_processor_time_now": (c_int64, [c_int, c_int]),
    "kb_all_close": (c_int, [c_void_p, c_void_p, c_uint64, c_float, c_float]),
    "kb_largest_errors": (None, [c_void_p, c_void_p, c_uint64, POINTER(c_float)]),
    "kb_thaw": (c_int, [c_int]),
    "kb_share_awake": (None, []),
    "kb_spin": (None, [c_int]),
    "kb_keep_awake": (None, [c_int]),
    "kb_kill": (c_int, [c_int]),
    "kb_guard": (c_int, [c_int]),
    "kb_follow_parent": (c_int, []),
    "kb_make_cell": (c_int, [c_int]),
    "kb_keep": (None, [c_int, c_int, c_int, c_int, c_uint64, c_int]),
    "kb_limit": (c_int, [POINTER(Limits), c_int]),
    "kb_make_group": (c_int, [POINTER(Limits)]),
    "kb_furnish_cell": (c_int, [POINTER(Limits), c_int]),
    "kb_begin_folder": (c_int, [c_char_p, POINTER(Limits)]),
    "kb_end_folder": (c_int, [c_char_p]),
    "kb_close_cell": (c_int, [c_int, c_int, c_int, POINTER(Limits)]),
    "kb_filter_syscalls": (c_int, [c_int, c_int, c_int]),
}


def sockets_of(limits: Limits, network: bool) -> int:
    """Returns which sockets a cell may open. `network`: whether it shares a network with other cells."""
    if network:
        return NETWORK
    return LOCAL_SOCKETS if limits.accelerator else NO_SOCKETS


def serving(library: ctypes.CDLL) -> Any:
    """Returns `kb_serve`, which calls Python and must hold its lock."""
    serve = ctypes.PyDLL(library._name, handle=library._handle).kb_serve
    serve.restype = py_object
    serve.argtypes = [c_void_p, POINTER(c_uint32), POINTER(BoundCall), POINTER(c_int32)]
    return serve


def load(path: str) -> ctypes.CDLL:
    """Loads the library from its file."""
    library = ctypes.CDLL(path, use_errno=True)
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
