"""A kernel in a shared object, called through `cpp/entry.cpp`."""

from __future__ import annotations

import ctypes
import json
import os
import re
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import Any

import torch

from .faults import MESSAGE_LENGTH, Fault

#: Names in the order of `kernelbot::Dtype`.
DTYPES = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
OUT_OF_MEMORY = 2
#: `count` of None.
NOTHING = -1


class Value(ctypes.Structure):
    """`struct Value` of entry.cpp: a node of the input. It owns the memory that it points to."""

    _fields_ = [
        ("whole", c_int64),
        ("real", c_double),
        ("text", c_char_p),
        ("items", c_void_p),
        ("data", c_void_p),
        ("sizes", c_void_p),
        ("strides", c_void_p),
        ("count", c_int64),
    ]

    def __init__(self, item: Any) -> None:
        super().__init__()
        if isinstance(item, torch.Tensor):
            self.kept = [(c_int64 * item.dim())(*numbers) for numbers in (item.shape, item.stride())]
            self.sizes, self.strides = (ctypes.addressof(numbers) for numbers in self.kept)
            self.data = item.data_ptr()
        elif isinstance(item, dict):
            self._hold([part for pair in item.items() for part in pair])
        elif isinstance(item, (tuple, list)):
            self._hold(item)
        elif isinstance(item, str):
            text = item.encode("utf-8", "replace")
            self.text, self.count = text, len(text)
        elif isinstance(item, torch.dtype):
            self.whole = DTYPES.index(str(item).split(".")[1])
        elif item is None:
            self.count = NOTHING
        else:
            self.whole, self.real = int(item) if isinstance(item, int) else 0, float(item)

    def _hold(self, items: Any) -> None:
        self.kept = [Value(item) for item in items]
        self.array = (Value * len(self.kept))(*self.kept)
        self.items, self.count = ctypes.addressof(self.array), len(self.kept)


def other_parameters(library: ctypes.CDLL, path: str) -> str:
    """Returns which parameter of the submission's `custom_kernel` differs, preceded by a colon; empty where there is no
    such function, or several."""
    library.kernelbot_signature.restype = c_char_p
    declared = parameters_in(json.loads(library.kernelbot_signature())["function"])
    demangle = library["__cxa_demangle"]
    demangle.restype, demangle.argtypes = c_char_p, [c_char_p, c_void_p, c_void_p, c_void_p]
    with open(path, "rb") as file:
        symbols = set(re.findall(rb"_Z13custom_kernel\w+", file.read()))
    found = [parameters_in((demangle(symbol, None, None, None) or b"()").decode()) for symbol in symbols]
    others = [one for one in found if one != declared]
    if len(others) != 1:
        return ""
    if len(others[0]) != len(declared):
        return f": it has {len(others[0])} instead of {len(declared)}"
    place = next(place for place, (one, other) in enumerate(zip(others[0], declared)) if one != other)
    return f": parameter {place + 1} is {others[0][place]} instead of {declared[place]}"


def parameters_in(function: str) -> list[str]:
    """Returns the parameters of a function's type, such as `void (int, Tensor<float, 1>)`."""
    inner = function[function.index("(") + 1 : function.rindex(")")]
    # Commas of up to three levels of template arguments separate no parameters.
    found = re.findall(r"(?:[^,<]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+", inner)
    return [] if inner == "void" else [one.strip() for one in found]


class NativeKernel:
    """Loads the shared object, which runs its static constructors. Raises Fault."""

    def __init__(self, path: str, name: str) -> None:
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            raise Fault("compile_error", f"the submission cannot be loaded: {error}".replace(path, name)) from None
        if not self.library.kernelbot_is_defined():
            message = f"{name} does not define custom_kernel with the parameters that task.h gives it"
            message += other_parameters(self.library, path)
            if "__half" in message:
                message += "; where cuda_fp16.h is included, `half` is a type of CUDA: write kernelbot::half"
            raise Fault("compile_error", message)
        self.make = self.library.kernelbot_bind
        self.make.restype, self.make.argtypes = c_void_p, [POINTER(Value)]
        self.run = self.library.kernelbot_call
        self.run.restype, self.run.argtypes = c_int, [c_void_p, c_char_p, c_size_t]
        self.forget = self.library.kernelbot_forget
        self.forget.restype, self.forget.argtypes = None, [c_void_p]
        self.words = ctypes.create_string_buffer(MESSAGE_LENGTH)

    def bind(self, data: Any) -> "Parameters":
        """Creates the parameters for an input once, so that calls need no conversion."""
        items = list(data) if isinstance(data, (tuple, list)) else [data]
        return Parameters(self, Value(items), data)

    def __call__(self, parameters: "Parameters") -> None:
        """Calls the kernel. Raises Fault with the exception's text."""
        outcome = self.run(parameters.address, self.words, MESSAGE_LENGTH)
        if outcome != 0:
            message = self.words.value.decode("utf-8", "replace")
            raise Fault("out_of_memory" if outcome == OUT_OF_MEMORY else "crash", message)


class Parameters:
    """Parameters of `custom_kernel` in the memory of the shared object."""

    def __init__(self, kernel: NativeKernel, value: Value, data: Any) -> None:
        self.kernel, self.value, self.data = kernel, value, data
        self.address = kernel.make(value)
        if not self.address:
            raise Fault("out_of_memory", "out of memory: the parameters of the kernel")

    def __del__(self) -> None:
        if self.address:
            self.kernel.forget(self.address)


def load_native(folder: str, library: int, name: str) -> NativeKernel:
    """Loads the shared object in the open file `library`. `name` is the submission's file name, for messages."""
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    path = os.path.join(folder, f"{name}.so")
    with open(path, "wb") as target:
        os.sendfile(target.fileno(), library, 0, os.fstat(library).st_size)
    os.close(library)
    return NativeKernel(path, name)
