"""A harness for tests that times only the last case, reports four figures of it, and reports an incorrect result as a
failed test."""

import os
import statistics
import sys
import time

from reference import check_implementation, generate_input
from submission import custom_kernel

pipe = os.fdopen(int(os.environ["POPCORN_FD"]), "w")
with open(sys.argv[2]) as file:
    line = file.read().splitlines()[-1]
case = {key: int(value) for key, value in (part.split(": ") for part in line.split("; "))}
times, wrong = [], ""
for _ in range(4):
    data = generate_input(**case)
    begun = time.perf_counter_ns()
    output = custom_kernel(data)
    times.append(max(1, time.perf_counter_ns() - begun))
    good, wrong = check_implementation(generate_input(**case), output)
    if not good:
        break
if wrong:
    print(f"test-count: 1\ntest.0.status: fail\ntest.0.error: {wrong}", file=pipe, flush=True)
    sys.exit(0)
deviation = statistics.stdev(times)
figures = {"runs": 4, "mean": statistics.mean(times), "std": deviation, "err": deviation / 2}
print("benchmark-count: 1", f"benchmark.0.spec: {line}", sep="\n", file=pipe)
print("".join(f"benchmark.0.{key}: {value}\n" for key, value in figures.items()), "check: pass", sep="", file=pipe, flush=True)
