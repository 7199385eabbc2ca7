"""Keeps the device busy for about the given time, and prints the time between events around the work."""

import json
import statistics

import torch

#: The medians are printed after this many calls: the next call takes longer, which the median ignores.
EVERY = 16
CYCLES = 20_000_000

calls = []
shown = {}


def between(work):
    """Records events right before and after the work. Returns both."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record(torch.cuda.current_stream())
    work()
    end.record(torch.cuda.current_stream())
    return start, end


def calibrated():
    """Returns the cycles of the device's counter per nanosecond."""
    for _ in range(2):  # The first is slow.
        start, end = between(lambda: torch.cuda._sleep(CYCLES))
        torch.cuda.synchronize()
    return CYCLES / (start.elapsed_time(end) * 1e6)


cycles_per_ns = calibrated()


def custom_kernel(data):
    duration_ns = data[1]
    if len(calls) >= EVERY and calls[-1][2].query():
        print_times()
    calls.append((duration_ns, *between(lambda: torch.cuda._sleep(int(duration_ns * cycles_per_ns)))))


def print_times():
    """Prints the median of each duration in microseconds, by its nominal duration."""
    for duration_ns, start, end in calls:
        shown.setdefault(duration_ns // 1000, []).append(start.elapsed_time(end) * 1e3)
    calls.clear()
    print(json.dumps({known: statistics.median(times) for known, times in shown.items()}), flush=True)
