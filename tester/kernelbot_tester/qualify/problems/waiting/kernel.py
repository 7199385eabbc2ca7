"""Waits for the given time, by a clock other than the judge's; does nothing for 0."""

import time


def custom_kernel(data):
    _, duration_ns, _ = data
    if duration_ns > 0:
        end = time.perf_counter_ns() + duration_ns
        while time.perf_counter_ns() < end:
            pass
