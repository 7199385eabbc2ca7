"""Calls a problem's code, in the process that runs it (service.py). The problem's `reference.py` defines

generate_input(**case) -> input    nested tuples, lists and dicts of tensors and plain values; `seed` is one of the
                                   parameters; the last `outputs` tensors are the buffers for the result
ref_kernel(input) -> output        a tensor or a tuple of them; or writes into the buffers and returns them or None
check_implementation(input, output) -> (bool, str)     optional; without it, outputs are compared within the tolerance
oracle(input) -> output     optional: the output in float64, or None; an output is also correct where it is as near to
                            the oracle as the reference's output; with several ranks: takes the list of their inputs,
                            returns the list of their outputs, in one process
cost(**case) -> {"bytes": number, "operations": number}     optional; lower bounds of memory traffic and arithmetic
"""

from __future__ import annotations

import inspect
import math
import os
import traceback
from dataclasses import dataclass
from typing import Any, Callable, ContextManager, Mapping, Protocol, Sequence, TypedDict

import torch

from .. import messages
from ..failures import NotJudged
from ..messages import Case, ProblemSpec, Stage
from ..untrusted_text import bounded
from ..worker.layout import Slot, describe
from ..worker.protocol import Tree
from .compare import Mismatch, compare, is_not_finite
from .higher_precision import as_near
from .modules import import_reference

#: Tree of an input, and its tensors in order with their slots.
Described = tuple[Tree, list[tuple[Slot, torch.Tensor]]]


def world_size_for(spec: ProblemSpec, target: str) -> int:
    """Returns the number of ranks of a case on a target. `spec` is core's `ProblemSpec`."""
    own = spec["targets"].get(target)
    return (own or {}).get("worldSize") or spec.get("worldSize", 1)


def cases_of(spec: ProblemSpec, stage: Stage, target: str) -> list[Case]:
    """Returns the cases of a stage for a target, as core's `casesFor`. `spec` is core's `ProblemSpec`."""
    own = spec["targets"].get(target) or {}
    if stage == "test":
        return own.get("tests") or spec["tests"]
    return own.get("benchmarks") or spec["benchmarks"]


def application_cases(spec: ProblemSpec, target: str) -> list[Case]:
    """Returns the cases of the application without the hidden ones, as core's `applicationCases`: its own, and the target's
    benchmarks in use, each once."""
    application = spec.get("application")
    if application is None:
        return []
    extra = application.get("atBenchmarks")
    cases = [] if extra is None else [{**case, **extra} for case in cases_of(spec, "benchmark", target)]
    return [*application["cases"], *{repr(sorted({**case, "seed": 0}.items())): case for case in cases}.values()]


def application_s(spec: ProblemSpec) -> float:
    """Returns the limit of the stage `application` in seconds; 0 without an application."""
    application = spec.get("application")
    return 0 if application is None else application["timeoutS"]


class DifferenceDocument(TypedDict):
    """An `OutputDifference` as JSON (processes/problem_answers.py parses it)."""

    message: str
    isAccepted: bool
    mismatch: messages.Mismatch | None


@dataclass(frozen=True)
class OutputDifference:
    """Result of a check that found a difference in an output."""

    message: str
    mismatch: Mismatch | None
    #: The output differs from the expected output, and is correct by the oracle.
    is_accepted: bool = False

    def document(self) -> DifferenceDocument:
        """Returns the difference in the form that the problem process sends."""
        mismatch = None if self.mismatch is None else self.mismatch.document()
        return {"message": self.message, "isAccepted": self.is_accepted, "mismatch": mismatch}


class Place(Protocol):
    """A device on which the problem's code creates its tensors."""

    #: Value of `KERNELBOT_DEVICE`.
    name: str

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """Returns the memory that holds a tensor, `host` or `device`; None: memory that cannot be shared with a
        worker."""
        ...

    def inside(self) -> ContextManager[object]:
        """Returns a context manager in which tensors are created on this device."""
        ...


class Problem:
    """Problem of a job, `{"spec", "files"}` as core's `Problem`. Its tensors live on opened devices, one for each
    rank. Raises NotJudged where the problem is at fault."""

    def __init__(self, problem: messages.Problem, devices: Sequence[Place]) -> None:
        self.device = devices[0]
        self.devices = devices
        os.environ["KERNELBOT_DEVICE"] = self.device.name
        self.spec = problem["spec"]
        self.files = problem["files"]
        self.outputs = self.spec["outputs"]
        self.module = self.guard("reference.py", None, lambda: import_reference(self.files))
        for name in ("generate_input", "ref_kernel"):
            if not callable(getattr(self.module, name, None)):
                raise NotJudged(f"the problem's reference.py defines no function {name}")
        self.ranks = len(devices)
        self.takes_seed = "seed" in inspect.signature(self.module.generate_input).parameters
        #: Whether outputs are compared with the reference's, within the tolerance.
        self.compares_with_reference = not hasattr(self.module, "check_implementation")
        if self.spec["tolerance"] is None and self.compares_with_reference:
            raise NotJudged("the problem has neither a tolerance in task.yml nor check_implementation in reference.py")

    def cases(self, stage: Stage, target: str) -> list[Case]:
        """Returns the cases of a stage for a target."""
        return cases_of(self.spec, stage, target)

    def inputs(self, case: Case, secret_seed: int | None = None) -> Any:
        """Generates the input of a case; with several ranks, a list of inputs. A secret seed replaces the case's own
        seed."""
        return self.described_inputs(case, secret_seed)[0]

    def described_inputs(self, case: Case, secret_seed: int | None = None) -> tuple[Any, list[Described]]:
        """Generates the input of a case like `inputs`, and returns with it each rank's tree and tensors, as
        `worker.layout.describe` returns them."""
        parameters = dict(case)
        if secret_seed is not None:
            if not self.takes_seed:
                raise NotJudged("the problem's generate_input takes no seed, so its inputs cannot be secret")
            parameters["seed"] = secret_seed
        if self.ranks == 1:
            data, described = self._input(parameters, secret_seed)
            return data, [described]
        if case.get("world_size") != self.ranks:
            raise NotJudged(f"a case's world_size is {case.get('world_size')}, and its target has {self.ranks} ranks")
        made = [self._input_of_rank(parameters, rank, secret_seed) for rank in range(self.ranks)]
        return [data for data, _ in made], [described for _, described in made]

    def input_of_rank(self, case: Case, rank: int) -> Any:
        """Generates the input of one rank of a case."""
        return self._input_of_rank(case, rank, None)[0]

    def _input_of_rank(self, case: Case, rank: int, secret_seed: int | None) -> tuple[Any, Described]:
        with self.devices[rank].inside():
            return self._input({**case, "rank": rank}, secret_seed)

    def _input(self, parameters: Case, secret_seed: int | None) -> tuple[Any, Described]:
        data = self.guard("generate_input", secret_seed, lambda: self.module.generate_input(**parameters))
        return data, self.described(data, "generate_input returns")

    def described(self, data: Any, source: str) -> Described:
        """Returns the tree and the tensors of an input of one rank. `source`: what made it, for messages. Raises
        NotJudged where it is not a valid input."""
        try:
            described = describe(data, self.device.memory_of)
        except TypeError as error:
            raise NotJudged(f"the problem's {source} {error}") from None
        if len(described[1]) < self.outputs:
            raise NotJudged(f"the problem's {source} {len(described[1])} tensors, not even the {self.outputs} outputs")
        return described

    def cost(self, case: Case) -> tuple[float | None, float | None]:
        """Returns the lower bounds of bytes and operations of a case; None where the problem declares none."""
        declared = getattr(self.module, "cost", None)
        if declared is None:
            return None, None
        values = self.guard("cost", None, lambda: declared(**case))
        if not isinstance(values, dict):
            raise NotJudged(f"the problem's cost returns a {type(values).__name__}, which must be a dictionary")
        return self._amount(values, "bytes"), self._amount(values, "operations")

    @staticmethod
    def _amount(values: Mapping[str, object], name: str) -> float | None:
        """Returns an entry of the cost; None where it is not declared."""
        value = values.get(name)
        if value is None or isinstance(value, (int, float)) and 0 <= value < math.inf:
            return value
        raise NotJudged(f"the problem's cost returns {bounded(repr(value), 100)} as {name}, which is not a positive number")

    def check(
        self,
        case: Case,
        data: Any,
        got: list[torch.Tensor],
        secret_seed: int | None,
        again: Callable[[], Any] | None = None,
        expected: list[torch.Tensor] | None = None,
    ) -> OutputDifference | None:
        """Returns what is wrong with an output for this input of a case, or None. Consumes the input: the reference
        may write into it. `again` generates the input a second time where it is not what `inputs` returns for the
        case. `expected`: outputs of the reference's ranks, in rank order; a problem of several ranks has no
        `check_implementation`."""
        check = getattr(self.module, "check_implementation", None) if expected is None else None
        if check is not None:
            output = got[0] if len(got) == 1 else tuple(got)
            try:
                verdict = check(data, output)
            except Exception as error:
                # The output's content is the kernel's choice, so an exception here must not end the run as
                # `infra_error`.
                return OutputDifference(f"the problem's check_implementation raised {type(error).__name__} on the output", None)
            right, message = verdict if isinstance(verdict, tuple) else (not verdict, verdict)
            if right:
                return None
            self._require_finite_reference(case, self.inputs(case, secret_seed) if again is None else again(), got, secret_seed)
            return OutputDifference(bounded(message or "the output is incorrect", 4_000), None)
        if expected is None:
            expected = self.expected(data, secret_seed)
        difference = self.compare(got, expected)
        if difference is None:
            return None
        oracles: list[torch.Tensor] | None = None
        if hasattr(self.module, "oracle"):
            # The reference may have written into the first input.
            data = self.inputs(case, secret_seed) if again is None else again()
            oracles = self.oracles(data, expected, secret_seed)
        require_finite(case, got, expected, oracles, secret_seed)
        return difference if oracles is None else self._by_oracle(difference, got, expected, oracles)

    def _require_finite_reference(self, case: Case, data: Any, got: list[torch.Tensor], secret_seed: int | None) -> None:
        """Raises NotJudged where the reference's outputs for an output that the problem's own check refuses are not
        finite."""
        try:
            expected = self.expected(data, secret_seed)
        except NotJudged:  # The problem's check may not need its reference.
            return
        require_finite(case, got, expected, None, secret_seed)

    def _by_oracle(
        self, difference: OutputDifference, got: list[torch.Tensor], expected: list[torch.Tensor], oracles: list[torch.Tensor]
    ) -> OutputDifference:
        """Returns the difference unchanged, or marked correct where each output that differs is as near to the oracle as
        the expected output."""
        tolerance = self.tolerance
        for one, other, oracle in zip(got, expected, oracles):
            differs = compare(one, other, tolerance["rtol"], tolerance["atol"]) is not None
            if differs and not as_near(one, other, oracle, tolerance["rtol"], tolerance["atol"]):
                return difference
        return accepted_by_oracle(difference)

    @property
    def tolerance(self) -> messages.ProblemSpecTolerance:
        """Tolerance of outputs that are compared with the reference's."""
        tolerance = self.spec["tolerance"]
        assert tolerance is not None, "checked when the problem was loaded"
        return tolerance

    def oracles(
        self, data: Any, expected: list[torch.Tensor], secret_seed: int | None
    ) -> list[torch.Tensor] | None:
        """Returns the oracle's outputs for this input, in the shapes and on the devices of `expected`; None where the
        oracle returns None."""
        result = self.guard("oracle", secret_seed, lambda: self.module.oracle(data))
        if result is None:
            return None
        each = result if self.ranks > 1 else [result]
        oracles = [one for own in each for one in (own if isinstance(own, (tuple, list)) else [own])]
        if [one.shape for one in oracles] != [one.shape for one in expected]:
            raise NotJudged("the problem's oracle returns another number or shape than its output buffers")
        return [one.to(other.device) for one, other in zip(oracles, expected)]

    def compare(self, got: list[torch.Tensor], expected: list[torch.Tensor]) -> OutputDifference | None:
        """Compares outputs with the expected outputs, both in rank order. Returns the first difference, or None."""
        tolerance = self.tolerance
        for place, (one, other) in enumerate(zip(got, expected)):
            mismatch = compare(one, other, tolerance["rtol"], tolerance["atol"])
            if mismatch is not None:
                rank, output = divmod(place, self.outputs)
                which = f"rank {rank}: " if self.ranks > 1 else ""
                which += "" if self.outputs == 1 else f"output {output}: "
                return OutputDifference(which + mismatch.sentence(), mismatch)
        return None

    def expected(self, data: Any, secret_seed: int | None) -> list[torch.Tensor]:
        """Returns the reference's outputs for this input. Consumes the input."""
        buffers = [tensor for _, tensor in describe(data, self.device.memory_of)[1]][-self.outputs :]
        result = self.guard("ref_kernel", secret_seed, lambda: self.module.ref_kernel(data))
        results = buffers if result is None else list(result) if isinstance(result, (tuple, list)) else [result]
        if [(one.shape, one.dtype) for one in results] != [(one.shape, one.dtype) for one in buffers]:
            raise NotJudged(
                "the problem's ref_kernel returns another number, shape or dtype than its output buffers"
            )
        return results

    def guard(self, what: str, secret: int | None, action: Callable[[], Any]) -> Any:
        """Runs an action. Reports an exception of the problem's code as NotJudged, without its message where a secret
        seed was used."""
        try:
            return action()
        except Exception as error:
            if secret is not None:
                raise NotJudged(f"the problem's {what} raised {type(error).__name__}") from None
            traceback.print_exc()
            raise NotJudged(f"the problem's {what} raised {type(error).__name__}: {bounded(error, 1_000)}") from None


def require_finite(
    case: Case,
    got: list[torch.Tensor],
    expected: list[torch.Tensor],
    oracles: list[torch.Tensor] | None,
    secret_seed: int | None,
) -> None:
    """Raises NotJudged where outputs of the reference are not finite and so cannot judge these outputs."""
    for place, (one, other) in enumerate(zip(got, expected)):
        if is_not_finite(one, other, None if oracles is None else oracles[place]):
            shown = {name: value for name, value in case.items() if secret_seed is None or name != "seed"}
            parameters = "; ".join(f"{name}: {value}" for name, value in shown.items())
            raise NotJudged(
                "the reference's result is not finite" + (f" for an input of the case ({parameters})" if shown else "")
            )


def accepted_by_oracle(difference: OutputDifference) -> OutputDifference:
    """Returns the difference for an output that differs and passes."""
    return OutputDifference(f"{difference.message}; it is as near to float64 as the reference", difference.mismatch, is_accepted=True)
