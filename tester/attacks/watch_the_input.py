# attack: window
# expect: no advantage
"""A thread polls the memory of the input and starts to compute as soon as it changes."""

import threading
import torch

requested, answered = threading.Event(), threading.Event()
state = {"data": None, "mark": None, "result": (None, None)}


def watch():
    while True:
        requested.wait(0.001)
        data = state["data"]
        if data is None or float(data[0][0, 0]) == state["mark"]:
            continue
        state["mark"] = float(data[0][0, 0])
        state["result"] = data, torch.mm(data[0], data[1])
        answered.set()


threading.Thread(target=watch, daemon=True).start()


def custom_kernel(data):
    state["data"] = data
    requested.set()
    # A result for another address belongs to an earlier call.
    while state["result"][0] is not data:
        answered.wait(1)
        answered.clear()
    requested.clear()
    result = state["result"][1]
    state["result"] = None, None
    return result
