# attack: window
# expect: refused
"""Returns at once and lets a thread work afterwards."""

import threading
import torch


def custom_kernel(data):
    threading.Thread(target=torch.mm, args=data[:2], kwargs={"out": data[2]}).start()
