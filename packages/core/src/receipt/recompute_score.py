"""Recomputes the score of a receipt from its samples: `python3 recompute_score.py receipt.json`. Rounds by the judge only."""
import json, math, sys
from statistics import fmean, median


def time_of(calls):
    cut = 0 if len(calls) < 3 else -(-len(calls) // 5)
    return fmean(sorted(calls)[cut : len(calls) - cut])


def mean_of(calls):
    return fmean(sorted(calls)[: max(1, len(calls) - -(-len(calls) // 100))])


def speedup_and_time(rounds, cpu):
    sound = [one for one in rounds if not (one.get("conditions") or {}).get("mark")]
    rounds = sound if len(sound) >= 6 else rounds
    own, reference = ([one[side] for one in rounds] for side in ("candidateNs", "referenceNs"))
    mean, reference_mean = (mean_of(sum(calls, [])) for calls in (own, reference))
    time, reference_time = (median(map(time_of, calls)) for calls in (own, reference))
    if mean / time > (1.5 if cpu else 1.02) * reference_mean / reference_time:  # slow calls count
        return reference_mean / mean, mean
    return median(time_of(b) / time_of(a) for a, b in zip(own, reference)), time


def combined(values, by, weights):
    if by == "last":
        return values[-1]
    if by == "mean":
        return sum(v * w for v, w in zip(values, weights)) / sum(weights)
    return math.exp(sum(math.log(v) * w for v, w in zip(values, weights)) / sum(weights))


receipt = json.load(open(sys.argv[1]))["receipt"]
cpu = receipt["target"].split("-")[0] == "cpu"
weights = receipt.get("weights") or [1] * len(receipt["cases"])
speedups, times = zip(*(speedup_and_time(case["rounds"], cpu) for case in receipt["cases"]))
for name, values in {"speedup": speedups, "timeNs": times}.items():
    value, signed = combined(values, receipt["rankingBy"], weights), receipt["score"][name]["value"]
    print(name, value, "as signed" if math.isclose(value, signed, rel_tol=1e-12) else f"but signed: {signed}")
print("ranks by", receipt["ranking"])
