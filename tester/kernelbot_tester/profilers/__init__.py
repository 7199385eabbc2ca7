"""Profilers that come with a device and must start the process that they look at: Nsight Compute, rocprofv3.

    find.py       which of them this machine has, and what its operator must do where one is missing
    nsight.py     NVIDIA: how it is called, and what of its pages is shown
    rocprof.py    AMD: the same
    launch.py     runs a submission under one of them, in a sandbox of its own

Not yet run on a device: what is tested is our side, with a program that stands in for the profiler at its command line.
"""
