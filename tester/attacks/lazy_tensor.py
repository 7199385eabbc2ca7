# attack: window
# expect: refused
"""Returns a tensor that computes itself when somebody looks at it, and only pretends to be copied."""

import torch


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function.__name__ in ("copy_", "detach"):
            return args[0]
        return super().__torch_function__(function, types, args, kwargs or {})


def custom_kernel(data):
    return torch.empty_like(data[2]).as_subclass(Lazy)
