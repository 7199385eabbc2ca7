"""A problem of KernelBench in the submission's worker: `custom_kernel` by way of the submission's `ModelNew`."""

import os
from typing import Any

import submission
import torch

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

if not callable(getattr(submission, "ModelNew", None)):
    raise ImportError("submission.py defines no class ModelNew")


def custom_kernel(data):
    """What ModelNew gives for the inputs of a call. It is built in the first, which is not timed."""
    module = built(data)
    if "call_seed" in data:
        seed_generators(int(data["call_seed"]))
    with torch.no_grad():
        return flat(module(*data["inputs"]))


def seed_generators(seed):
    """As torch.manual_seed, which formats a stack trace in each call until CUDA is used."""
    torch.default_generator.manual_seed(seed)
    if DEVICE != "cpu":
        torch.cuda.manual_seed_all(seed)


#: The module that was built last, by the seed of its weights.
BUILT = {}


def built(data):
    """ModelNew with weights drawn by the seed that Model's are drawn by: on the processor, in the order of its own code."""
    seed = data["init_seed"]
    if seed not in BUILT:
        BUILT.clear()
        arguments, keywords = owned(data["init"]), owned(data.get("init_keywords", {}))
        seed_generators(seed)
        BUILT[seed] = submission.ModelNew(*arguments, **keywords).to(DEVICE, data["dtype"])
    return BUILT[seed]


def owned(value: Any) -> Any:
    """The same with tensors of its own: those of a call are gone after it."""
    if isinstance(value, (list, tuple)):
        return type(value)(owned(one) for one in value)
    if isinstance(value, dict):
        return {key: owned(one) for key, one in value.items()}
    return value.clone() if isinstance(value, torch.Tensor) else value


def flat(value):
    """The tensors of a result in order."""
    if isinstance(value, dict):
        value = list(value.values())
    return tuple(tensor for one in value for tensor in flat(one)) if isinstance(value, (list, tuple)) else (value,)
