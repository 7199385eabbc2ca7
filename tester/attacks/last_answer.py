# attack: replay
# expect: refused
"""Returns the tensor that was right in the call before."""

import torch

answers = {}


def custom_kernel(data):
    key = len(data[0])
    answer = answers.get(key)
    answers[key] = torch.mm(data[0], data[1]) if answer is None else answer
    return answers[key]
