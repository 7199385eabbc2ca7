

import torch

if not hasattr(torch, "compile"):
    raise ImportError("torch.compile needs PyTorch 2.0 or newer")


def ModelNew(*arguments):
    """The suite's model, compiled with the defaults, but for random numbers, which are those that the model draws."""
    return torch.compile(Model(*arguments), options={"fallback_random": True})
