# attack: window
# expect: refused
"""Returns lazy tensors that are computed when they are read, and whose copies are lazy, too."""

import torch
from attacked import like


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function.__name__ in ("copy_", "detach"):
            return args[0]
        return super().__torch_function__(function, types, args, kwargs or {})


def custom_kernel(data):
    return like(data, lambda one: torch.empty_like(one).as_subclass(Lazy))
