# attack: window
# expect: refused
"""Reads the inputs when their memory is mapped into the worker, before the clock runs."""

import sys
import torch

bindings = sys.modules["worker.bindings"]
answers = {}


class Early(bindings.Binding):
    def __init__(self, *details):
        super().__init__(*details)
        answers[self.data[0].data_ptr()] = torch.mm(self.data[0], self.data[1])


bindings.Binding = Early


def custom_kernel(data):
    return answers[data[0].data_ptr()]
