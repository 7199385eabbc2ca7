"""Joins the ranks of one job to a process group of PyTorch, before any user code is loaded."""

from __future__ import annotations

import os
from datetime import timedelta

import torch.distributed

from .protocol import RankGroup

#: Timeout of the ranks for each other, longer than the judge's.
TIMEOUT = timedelta(hours=2)


def join(group: RankGroup) -> None:
    """Joins the group. Returns when all ranks have joined."""
    # Loopback is the only interface of the group's network.
    os.environ.update(GLOO_SOCKET_IFNAME="lo", NCCL_SOCKET_IFNAME="lo")
    os.environ.update(RANK=str(group["rank"]), LOCAL_RANK=str(group["rank"]), WORLD_SIZE=str(group["size"]))
    torch.distributed.init_process_group(
        group["backend"],
        init_method=f"file://{group['store']}",
        rank=group["rank"],
        world_size=group["size"],
        timeout=TIMEOUT,
    )
