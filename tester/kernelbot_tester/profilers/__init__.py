"""Vendors' device profilers, which start the profiled process themselves: Nsight Compute, rocprofv3.

    find.py       finds the profilers of this machine, and how an operator installs a missing one
    nsight.py     NVIDIA: command line, and the part of its output that is shown
    rocprof.py    AMD: the same
    launch.py     runs a submission under a profiler, in a separate sandbox

Not yet run on a device: tested with a fake device program for the profiler's command line.
"""
