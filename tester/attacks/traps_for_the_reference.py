# attack: environment
# expect: no advantage
"""Leaves files in scratch and in shared memory that would slow down another worker that imports them."""

import torch

for folder in ("/tmp", "/tmp/job", "/dev/shm"):
    for name in ("reference", "sitecustomize", "torch"):
        with open(f"{folder}/{name}.py", "w") as file:
            file.write("import time\ntime.sleep(60)\n")


def custom_kernel(data):
    torch.mm(data[0], data[1], out=data[2])
