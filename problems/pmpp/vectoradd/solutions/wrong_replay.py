# expect: wrong_result
"""Caches the output of the first call of each size and returns it again, though the inputs have changed."""

from task import input_t, output_t

answers = {}


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    size = a.numel()
    if size not in answers:
        answers[size] = a + b
    c.copy_(answers[size])
    return c
