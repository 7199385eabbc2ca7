# expect: wrong_result
"""Tries to pass without computing anything. It must be judged by its output buffer, which it never writes.

It stops the clocks of its process, prints verdicts, makes comparisons agree, and looks for the expected
result among the objects of its process and in the frames of its callers.
"""

import gc
import json
import sys
import time

import torch
from task import input_t, output_t

print("test-count: 1\ntest.0.status: pass\ncheck: pass", flush=True)
print(json.dumps({"type": "verdict", "verdict": "passed", "failureClass": None}), flush=True)

for clock in ("time", "perf_counter", "monotonic", "process_time"):
    setattr(time, clock, lambda: 0.0)
    setattr(time, clock + "_ns", lambda: 0)

torch.equal = lambda *_: True
torch.allclose = lambda *_, **__: True
torch.Tensor.equal = lambda *_: True
torch.Tensor.allclose = lambda *_, **__: True


def expected_by_callers():
    """Returns the value of a caller's variable with a name like `expected`."""
    frame = sys._getframe()
    while frame is not None:
        for name, value in {**frame.f_globals, **frame.f_locals}.items():
            if "expect" in name.lower() and isinstance(value, torch.Tensor):
                return value
        frame = frame.f_back
    return None


def expected_by_the_collector(known):
    """Returns a tensor of the output's shape that the kernel did not create."""
    places = {tensor.data_ptr() for tensor in known}
    for thing in gc.get_objects():
        if type(thing) is torch.Tensor and thing.shape == known[-1].shape and thing.data_ptr() not in places:
            return thing
    return None


def custom_kernel(data: input_t) -> output_t:
    print("check: pass", flush=True)
    for search in (expected_by_callers, lambda: expected_by_the_collector(data)):
        found = search()
        if found is not None:
            return found
    return data[-1]
