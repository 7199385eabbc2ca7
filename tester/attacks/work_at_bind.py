# attack: window
# expect: refused
"""Reads the inputs when their memory is mapped into the worker, before the clock runs."""

import sys
import torch

main = sys.modules["worker.main"]
answers = {}


class Early(main.Binding):
    def __init__(self, message, file):
        super().__init__(message, file)
        answers[self.data[0].data_ptr()] = torch.mm(self.data[0], self.data[1])


main.Binding = Early


def custom_kernel(data):
    return answers[data[0].data_ptr()]
