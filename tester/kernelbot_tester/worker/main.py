"""The worker: loads one module or one shared object, and calls one function of it on each order of the judge.

The worker sends `{"hello": pid, "processes": whether any can ever be started}` before any user code is loaded, then
answers each message with a result or an `{"error": {"class", "message", "detail"}}`. After `load`, orders arrive
through the channel: read a message, or call the function on a bound input. Calls between the messages `profile` and
`hand_over` are profiled.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import socket
from typing import Any, Mapping

import torch

from . import bundle, extensions, library, process_group, simulated_device, wire
from .bindings import Binding, Bindings
from .device import Device, NoDevice
from .faults import NEVER, REFUSED, Fault, fault_of
from .loading import load_function
from .native_kernel import load_native
from .profiling import Profiling
from .protocol import LoadLibrary, LoadModule, Order, WorkerError


def main(
    native: ctypes.CDLL,
    sock: socket.socket,
    channel_file: int,
    threads: int,
    processes: bool,
    device: Device | NoDevice,
) -> None:
    """Serves the judge until it closes the connection."""
    channel = mmap.mmap(channel_file, library.CHANNEL_BYTES)
    os.close(channel_file)
    words = ctypes.addressof(ctypes.c_char.from_buffer(channel))
    took = ctypes.c_double.from_address(words + library.DEVICE_NS_OFFSET)
    part = ctypes.c_uint32.from_address(words + library.PART_OFFSET)
    torch.set_num_threads(threads)
    wire.send(sock, {"hello": os.getpid(), "processes": processes})

    refused = REFUSED if processes else NEVER
    message: LoadModule | LoadLibrary
    message, files = wire.receive(sock)
    if "cache" in message:
        for kept in files:
            unpacked(message["cache"], kept)
        extensions.use_folder(message["cache"], threads)
    simulated = message["simulated_device"] if "simulated_device" in message else None

    def fault(error: BaseException) -> WorkerError:
        reworded = error if simulated is None else simulated_device.in_other_words(error)
        return fault_of(reworded, message["module"], refused)

    try:
        if simulated is not None:
            simulated_device.simulate_device(simulated)
        if "files" in message:
            if message["group"] is not None:
                process_group.join(message["group"])
            function = load_function(message["folder"], message["files"], message["module"], message["function"])
        else:
            function = load_native(message["folder"], files[0], message["module"])
    except BaseException as error:
        wire.send(sock, {"error": fault(error)})
        return
    name: str = message["function"]
    wire.send(sock, {"loaded": True})

    bindings = Bindings(device, function)
    profiling: Profiling | None = None
    number, index = ctypes.c_uint32(), ctypes.c_int32()
    serve = library.serving(native)
    while True:
        error: BaseException | None = None
        try:
            # The clock of an accelerator is read in Python.
            calls = bindings.calls if isinstance(device, NoDevice) else None
            result = serve(words, number, calls, index)
            if index.value >= 0:
                binding = bindings.bindings[index.value]
                if not isinstance(device, NoDevice):
                    call(bindings, binding, name, device, part.value)
                else:
                    deliver(result, binding.buffers, name)
        except BaseException as raised:
            error = raised
        if index.value >= 0:
            if error is not None:
                wire.send(sock, {"error": fault(error)})
            took.value = device.took_ns
            native.kb_say_done(words, number.value, 0 if error is None else 1)
            continue
        order: Order
        order, files = wire.receive(sock)
        try:
            answer: Mapping[str, object] = {"done": True}
            if order["op"] == "bind":
                bindings.bind(order, files)
            elif order["op"] == "forget":
                bindings.forget(order["index"])
            elif order["op"] == "burst":
                bindings.prepare_burst(order, files[0])
            elif order["op"] == "profile":
                profiling = Profiling(function, name)
                bindings.use(profiling.recorded)
            elif order["op"] == "pack":
                answer = {"size": packed(message["cache"] if "cache" in message else "", files[0])}
            elif profiling is not None:
                answer, profiling = profiling.hand_over(files[0], message["folder"]), None
                bindings.use(function)
            wire.send(sock, answer)
        except BaseException as error:
            wire.send(sock, {"error": fault(error)})


def unpacked(folder: str, file: int) -> None:
    """Restores the folder from the cache of an earlier import. Invalid content is discarded."""
    try:
        bundle.unpack(file, folder)
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(file)


def packed(folder: str, file: int) -> int:
    """Packs the folder into the judge's memory. Returns the size in bytes; 0 where nothing can be cached."""
    try:
        return bundle.pack(folder, file, os.fstat(file).st_size)
    except (OSError, ValueError):  # A thread of the submission removed a file while it was read.
        return 0
    finally:
        os.close(file)


def call(bindings: Bindings, binding: Binding, name: str, device: Device, part: int) -> None:
    """Calls the function and copies its result into the buffers. The device's clock runs from the first to the last part
    of a sequence."""
    if part & library.PART_SUBMIT:
        submit_burst(bindings, name, device)
    elif part & library.PART_WAIT:
        device.finish_call()
    else:
        if part & library.PART_FIRST:
            device.begin()
        deliver(bindings.function(binding.data), binding.buffers, name)
        if part & library.PART_LAST:
            device.end()


def submit_burst(bindings: Bindings, name: str, device: Device) -> None:
    """Submits the calls of a burst to the device, behind its gate."""
    assert bindings.gate is not None
    bindings.bursts += 1
    device.wait_at(bindings.gate, bindings.bursts)
    device.begin()
    for binding in bindings.burst:
        deliver(bindings.function(binding.data), binding.buffers, name)
    device.record_finish()


def deliver(result: Any, buffers: list[torch.Tensor], name: str) -> None:
    """Copies the function's result into the output buffers, unless it returned the buffers or None. Raises Fault where
    number, device, dtype or shape differ."""
    if result is None:
        return
    results = result if isinstance(result, (tuple, list)) else (result,)
    if len(results) != len(buffers):
        raise Fault("wrong_result", f"{name} returned {len(results)} values, expected {len(buffers)}")
    for place, (value, buffer) in enumerate(zip(results, buffers)):
        if value is buffer:
            continue
        which = f"{name} returned" if len(buffers) == 1 else f"output {place} of {name} is"
        if not isinstance(value, torch.Tensor):
            raise Fault("wrong_result", f"{which} a {type(value).__name__}, expected a tensor")
        if value.layout != torch.strided:
            raise Fault("wrong_result", f"{which} a {value.layout} tensor, expected a dense one")
        if value.device != buffer.device:
            raise Fault("wrong_result", f"{which} a tensor on {value.device}, expected one on {buffer.device}")
        if value.dtype != buffer.dtype:
            raise Fault("wrong_result", f"{which} a tensor of {value.dtype}, expected {buffer.dtype}")
        if value.shape != buffer.shape:
            raise Fault("wrong_result", f"{which} a tensor of shape {list(value.shape)}, expected {list(buffer.shape)}")
        if value.data_ptr() != buffer.data_ptr() or value.stride() != buffer.stride():
            buffer.copy_(value.detach())
