# attack: answer
# expect: refused
"""Returns a tensor that claims the right shape and equals everything."""

import torch


class Liar(torch.Tensor):
    shape = property(lambda self: torch.Size([320, 320]))
    dtype = property(lambda self: torch.float32)
    __eq__ = __ne__ = lambda self, other: True

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return args[0] if args else None


def custom_kernel(data):
    return torch.zeros(1).as_subclass(Liar)
