"""What an attack on any problem is given: the problem's honest kernel, and the tensors of an input. Before it stands `OUTPUTS`,
how many of the last tensors are the output buffers."""

import torch
from honest import custom_kernel as honest_kernel


def tensors(value):
    """The tensors of an input in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for inner in value for tensor in tensors(inner)]
    return []


def inputs(data):
    """All but the output buffers."""
    return tensors(data)[: -OUTPUTS]


def buffers(data):
    """Where the outputs belong."""
    return tensors(data)[-OUTPUTS :]


def copied(value, change):
    """The input with other tensors in the places of its own."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: copied(inner, change) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        inner = [copied(one, change) for one in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return value


def work(data):
    """The honest work, in the buffers."""
    into(buffers(data), results(honest_kernel(data), data))


def answer(data):
    """The right outputs, in tensors of their own; the buffers stay as they are."""
    own = {id(buffer) for buffer in buffers(data)}
    private = copied(data, lambda tensor: torch.empty_like(tensor) if id(tensor) in own else tensor)
    return [one.clone() for one in results(honest_kernel(private), private)]


def results(returned, data):
    """What a kernel returned, as a list."""
    if returned is None:
        return buffers(data)
    return list(returned) if isinstance(returned, (tuple, list)) else [returned]


def into(targets, values):
    """Writes outputs into buffers."""
    for target, value in zip(targets, values):
        if target.data_ptr() != value.data_ptr():
            target.copy_(value)


def returned(values):
    """Outputs as a kernel returns them."""
    return values[0] if len(values) == 1 else tuple(values)


def like(data, make):
    """For each buffer what is made of it, as a kernel returns it."""
    return returned([make(buffer) for buffer in buffers(data)])


def rows(tensor):
    """The tensor itself; of a single number a row of one."""
    return tensor if tensor.dim() else tensor.view(1)


def shapes(data):
    """The shapes of all tensors: what calls of one case have in common."""
    return tuple(tensor.shape for tensor in tensors(data))
