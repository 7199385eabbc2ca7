"""A problem of KernelBench in the judge: `model.py` is the suite's file, `settings.py` what the suite says of it."""

import contextlib
import copy
import functools
import hashlib
import inspect
import os
from typing import Any

import torch

import model
import settings

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
DTYPE = getattr(torch, settings.DTYPE)

#: Seed of each set of weights. It is derived from the first seed that the set is used with, which is secret before the
#: run.
WEIGHTS = {}
#: For each set of weights the shape and type of each output.
LAYOUTS = {}


def generate_input(weights, seed):
    """The inputs of a call, and what ModelNew is built from."""
    init_seed = WEIGHTS.setdefault(weights, derived("weights", seed))
    seed_generators(derived("inputs", seed))
    with made_on_the_device():
        inputs = [cast(one) for one in listed(model.get_inputs())]
    positional, keywords = init_inputs(init_seed)
    data = {"init": positional, "init_seed": init_seed, "dtype": DTYPE, "inputs": inputs}
    if keywords:
        data["init_keywords"] = keywords
    if settings.IS_RANDOM:
        # A tensor on the processor: another plain value in each call would mean another layout.
        data["call_seed"] = torch.tensor([derived("call", seed)])
    data["outputs"] = [torch.empty(shape, dtype=dtype, device=DEVICE) for shape, dtype in outputs_of(weights, data)]
    return data


def ref_kernel(data):
    """The model's own answer."""
    return called(built(data["init_seed"]), data)


def oracle(data):
    """The same weights and inputs in float64; None if the model does not support float64, or draws random numbers, which
    would differ."""
    if settings.IS_RANDOM:
        return None
    try:
        fine = built_in_double(data["init_seed"])
        return called(fine, {**data, "inputs": [cast(one, torch.float64) for one in data["inputs"]]})
    except Exception:
        return None


def cost(weights, seed=0):
    """Inputs and parameters are read, outputs written, each once."""
    return {"bytes": settings.BYTES}


def made_on_the_device() -> Any:
    """Where new tensors are made. Before PyTorch 2.0 that is the processor, and they are moved."""
    return torch.device(DEVICE) if hasattr(torch.device, "__enter__") else contextlib.nullcontext()


def seed_generators(seed):
    """As torch.manual_seed, which formats a stack trace in each call until CUDA is used."""
    torch.default_generator.manual_seed(seed)
    if DEVICE != "cpu":
        torch.cuda.manual_seed_all(seed)


def derived(what, seed):
    """A seed that tells nothing of the one that it is made of."""
    return int.from_bytes(hashlib.sha256(f"{what}/{seed}".encode()).digest()[:8], "big") >> 1


def listed(value):
    """What get_inputs or get_init_inputs gave, as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def cast(value, dtype=DTYPE):
    """A tensor on the device, in this precision if it is a floating-point one; tensors in lists, tuples and dictionaries too."""
    if isinstance(value, torch.Tensor):
        return value.detach().to(DEVICE, dtype if value.is_floating_point() else value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)(cast(one, dtype) for one in value)
    if isinstance(value, dict):
        return {key: cast(one, dtype) for key, one in value.items()}
    return value


@functools.lru_cache(maxsize=1)
def init_inputs(init_seed):
    """The positional and keyword arguments of the model, which may be random themselves."""
    seed_generators(init_seed)
    return arguments_of(model.Model, model.get_init_inputs())


def arguments_of(cls, value):
    """The positional and keyword arguments that get_init_inputs gave. A list of a list and a dictionary is both, as in
    KernelBook, where the class accepts them so."""
    values = listed(value)
    if len(values) == 2 and isinstance(values[0], (list, tuple)) and isinstance(values[1], dict):
        try:
            inspect.signature(cls).bind(*values[0], **values[1])
            return list(values[0]), values[1]
        except (TypeError, ValueError):
            pass
    return values, {}


@functools.lru_cache(maxsize=1)
def built(init_seed):
    """The model with the weights of this seed."""
    return anew(init_seed)


@functools.lru_cache(maxsize=1)
def built_in_double(init_seed):
    """The same model and the same weights in float64."""
    return anew(init_seed).double()


def anew(init_seed):
    """A model whose weights are made on the processor, so that they are the same on every device."""
    positional, keywords = init_inputs(init_seed)
    seed_generators(init_seed)
    return model.Model(*positional, **keywords).to(DEVICE, DTYPE)


def outputs_of(weights, data):
    """Shape and type of each output, which a call of the model tells once."""
    if weights not in LAYOUTS:
        # The model may write into its inputs.
        made = called(built(data["init_seed"]), {**data, "inputs": copy.deepcopy(data["inputs"])})
        LAYOUTS[weights] = [(one.shape, one.dtype) for one in made]
    return LAYOUTS[weights]


def called(module, data):
    """The tensors that the model gives for these inputs."""
    if "call_seed" in data:
        seed_generators(int(data["call_seed"]))
    with torch.no_grad():
        return flat(module(*data["inputs"]))


def flat(value):
    """The tensors of a result in order."""
    if isinstance(value, dict):
        value = list(value.values())
    return tuple(tensor for one in value for tensor in flat(one)) if isinstance(value, (list, tuple)) else (value,)
