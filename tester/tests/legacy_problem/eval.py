"""A harness for tests: implements the protocol of existing competitions, with the submission in a pool of one
process."""

import multiprocessing
import os
import re
import statistics
import sys
import time

from reference import check_implementation, generate_input


def load_cases(path, seed):
    """Returns the cases of the file. A secret seed is mixed into each case's own."""
    cases = []
    with open(path) as file:
        for line in file:
            case = {}
            for part in line.strip().split(";"):
                found = re.fullmatch(r"\s*([a-zA-Z_]+)\s*:\s*([a-zA-Z]+|[+-]?\d+)\s*", part)
                if not found:
                    sys.exit(113)
                case[found[1]] = int(found[2]) if found[2].lstrip("+-").isdigit() else found[2]
            if seed is not None:
                case["seed"] = (case["seed"] + seed) * (case["seed"] + seed + 1) // 2 + seed
            cases.append((line.strip(), case))
    return cases


def work(case, repeats):
    """Calls the submission in the pool. Returns its times in ns and what is wrong."""
    from submission import custom_kernel

    times, wrong = [], ""
    for _ in range(repeats):
        data = generate_input(**case)
        begun = time.perf_counter_ns()
        output = custom_kernel(data)
        times.append(max(1, time.perf_counter_ns() - begun))
        good, message = check_implementation(generate_input(**case), output)
        if not good:
            wrong = message
            break
    return times, wrong


def main():
    fd = os.environ.pop("POPCORN_FD", None)
    if fd is None:
        return 111
    if len(sys.argv) != 3:
        return 2
    pipe = os.fdopen(int(fd), "w")
    os.set_inheritable(int(fd), False)
    seed = os.environ.pop("POPCORN_SEED", None)
    mode = sys.argv[1]
    cases = load_cases(sys.argv[2], None if seed is None else int(seed))
    kind = "test" if mode == "test" else "benchmark"

    def log(key, value):
        print(f"{key}: {value}", file=pipe, flush=True)

    passed = True
    log(f"{kind}-count", len(cases))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for index, (line, case) in enumerate(cases):
            log(f"{kind}.{index}.spec", line)
            times, wrong = pool.apply(work, (case, 1 if mode == "test" else 5))
            if wrong:
                passed = False
                log(f"{kind}.{index}.status", "fail")
                log(f"{kind}.{index}.error", wrong)
            elif mode == "test":
                log(f"{kind}.{index}.status", "pass")
            else:
                deviation = statistics.stdev(times)
                log(f"{kind}.{index}.runs", len(times))
                log(f"{kind}.{index}.mean", statistics.mean(times))
                log(f"{kind}.{index}.std", deviation)
                log(f"{kind}.{index}.err", deviation / len(times) ** 0.5)
                log(f"{kind}.{index}.best", float(min(times)))
                log(f"{kind}.{index}.worst", float(max(times)))
    log("check", "pass" if passed else "fail")
    return 0 if passed else 112


if __name__ == "__main__":
    sys.exit(main())
