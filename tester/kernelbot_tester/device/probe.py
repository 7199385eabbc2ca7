"""Measures memory bandwidth and arithmetic rate of this machine's processor and of each accelerator. Rates are in bytes
and operations per second, from the best of many short samples, since other load only
lowers them. A measurement takes at most half a second.

The probe runs in a fork of the host, which has PyTorch loaded: the threads that a computation starts must not exist in
the host, because judges are forked from it.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Callable

import torch

from ..messages import Machine, MeasuredRates
from ..sandbox.child import in_child
from ..sandbox.config import Config
from .machine import cpu_fields

#: Memory is read in pieces, each of which takes about a millisecond of a core, so that some are read without
#: interruption. All other pieces are read between two reads of one, so that none is in a cache. A larger cache makes
#: the rate too high, which only lowers the speed-of-light bound.
BUFFER_BYTES, PIECE_BYTES = 128 << 20, 32 << 20
ACCELERATOR_BUFFER_BYTES, ACCELERATOR_PIECE_BYTES = 2 << 30, 1 << 30
#: A measurement ends when its best has not grown by more than 2 % for SETTLED_S, or after LONGEST_S in all (seconds):
#: while the machine has other load, it still grows.
SETTLED_S, LONGEST_S = 0.1, 0.5
#: The matrices grow until a product takes PRODUCT_S seconds, or to the largest size.
PRODUCT_S, SMALLEST, LARGEST = 0.001, 256, 8192
#: Flags of processors with a matrix unit, whose rate a float32 product does not measure.
MATRIX_UNITS = {"amx_tile", "sme"}


def add_measured(machine: Machine, config: Config) -> None:
    """Sets `measured` of the processor and of each accelerator; None where the measurement failed."""
    count = len(machine["accelerators"])
    rates = in_child(lambda: [measure_cpu(config), *measure_accelerators(count)]) or [None] * (1 + count)
    for device, measured in zip([machine["cpu"], *machine["accelerators"]], rates):
        device["measured"] = measured


def measure_cpu(config: Config) -> MeasuredRates:
    """Measures the cores of a worker. `operationsPerS` is None for a processor with a matrix unit."""
    os.sched_setaffinity(0, config.worker_cores)
    torch.set_num_threads(len(config.worker_cores))
    flags = set(cpu_fields().get("flags", cpu_fields().get("Features", "")).split())
    return measure(torch.device("cpu"), torch.float32, BUFFER_BYTES, PIECE_BYTES, lambda: None, not flags & MATRIX_UNITS)


def measure_accelerators(count: int) -> list[MeasuredRates | None]:
    """Measures each accelerator that PyTorch supports; None where it fails."""
    found: list[MeasuredRates | None] = []
    for index in range(count):
        try:
            device = torch.device("cuda", index)
            sizes = ACCELERATOR_BUFFER_BYTES, ACCELERATOR_PIECE_BYTES
            found.append(measure(device, torch.float16, *sizes, lambda: torch.cuda.synchronize(device)))
        except Exception as error:  # No driver, no memory, or a PyTorch without support for it.
            print(f"accelerator {index} could not be measured: {error}", file=sys.stderr)
            found.append(None)
    return found


def measure(
    device: torch.device,
    product_type: torch.dtype,
    buffer_bytes: int,
    piece_bytes: int,
    wait: Callable[[], None],
    with_arithmetic: bool = True,
) -> MeasuredRates:
    """Measures both rates of a device. `wait` returns when it is idle."""
    return {
        "memoryBytesPerS": rounded(read_rate(device, buffer_bytes, piece_bytes, wait)),
        "operationsPerS": rounded(multiply_rate(device, product_type, wait)) if with_arithmetic else None,
    }


def read_rate(device: torch.device, buffer_bytes: int, piece_bytes: int, wait: Callable[[], None]) -> float:
    """Returns the bytes per second of summing a buffer of float32."""
    pieces = torch.ones(buffer_bytes // 4, device=device).split(piece_bytes // 4)
    turn = 0

    def read_piece() -> float:
        nonlocal turn
        turn += 1
        return piece_bytes / timed(pieces[turn % len(pieces)].sum, wait)

    return best_rate(read_piece)


def multiply_rate(device: torch.device, dtype: torch.dtype, wait: Callable[[], None]) -> float:
    """Returns the operations per second of multiplying square matrices: two for each product of elements."""
    size = SMALLEST
    factor = torch.ones(size, size, dtype=dtype, device=device)

    def multiply() -> float:
        nonlocal size, factor
        took = timed(lambda: factor @ factor, wait)
        rate = 2 * size**3 / took
        if took < PRODUCT_S and size < LARGEST:
            size *= 2
            factor = torch.ones(size, size, dtype=dtype, device=device)
        return rate

    return best_rate(multiply)


def timed(action: Callable[[], object], wait: Callable[[], None]) -> float:
    """Returns the seconds that an action takes."""
    wait()
    started = time.perf_counter()
    action()
    wait()
    return time.perf_counter() - started


def best_rate(sample: Callable[[], float], clock: Callable[[], float] = time.monotonic) -> float:
    """Returns the largest of many samples, taken until it has settled. `clock` is in seconds."""
    best = settled = sample()
    started = grown = clock()
    while (now := clock()) < min(grown + SETTLED_S, started + LONGEST_S):
        best = max(best, sample())
        if best > 1.02 * settled:
            settled, grown = best, now
    return best


def rounded(rate: float) -> float:
    """Rounds to three digits: more are noise, and would make each start appear as a different machine."""
    return float(f"{rate:.3g}")
