"""Input of an attack on any problem: the problem's honest kernel, and the tensors of an input. `OUTPUTS`, the number of trailing
tensors that are output buffers, is prepended."""

import torch
from honest import custom_kernel as honest_kernel


def tensors(value):
    """Returns the tensors of an input in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for inner in value for tensor in tensors(inner)]
    return []


def inputs(data):
    """Returns all tensors but the output buffers."""
    return tensors(data)[: -OUTPUTS]


def buffers(data):
    """Returns the output buffers."""
    return tensors(data)[-OUTPUTS :]


def copied(value, change):
    """Returns a copy of an input whose tensors are replaced by `change(tensor)`."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: copied(inner, change) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        inner = [copied(one, change) for one in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return value


def work(data):
    """Runs the honest kernel, with the result in the buffers."""
    into(buffers(data), results(honest_kernel(data), data))


def answer(data):
    """Returns the correct outputs in new tensors; the buffers are unchanged."""
    own = {id(buffer) for buffer in buffers(data)}
    private = copied(data, lambda tensor: torch.empty_like(tensor) if id(tensor) in own else tensor)
    return [one.clone() for one in results(honest_kernel(private), private)]


def results(returned, data):
    """Returns the return value of a kernel as a list of outputs."""
    if returned is None:
        return buffers(data)
    return list(returned) if isinstance(returned, (tuple, list)) else [returned]


def into(targets, values):
    """Writes outputs into buffers."""
    for target, value in zip(targets, values):
        if target.data_ptr() != value.data_ptr():
            target.copy_(value)


def returned(values):
    """Returns outputs in the form in which a kernel returns them."""
    return values[0] if len(values) == 1 else tuple(values)


def like(data, make):
    """Returns `make(buffer)` for each buffer, in the form in which a kernel returns outputs."""
    return returned([make(buffer) for buffer in buffers(data)])


def rows(tensor):
    """Returns the tensor; a scalar as a row of one element."""
    return tensor if tensor.dim() else tensor.view(1)


def shapes(data):
    """Returns the shapes of all tensors, which calls of one case have in common."""
    return tuple(tensor.shape for tensor in tensors(data))
