"""A fake Triton, for tests only: kernels run on the processor, program by program, on PyTorch's tensors.

    sys.path.insert(0, "tester/tests/fake_device")    # then `import triton` finds it

Implements what starter kernels need, refuses what Triton refuses (blocks whose sizes are not powers of two, globals
that are not `tl.constexpr`, small products), and makes mistakes visible: an access outside of a tensor raises, masked
elements without `other` are NaN or the largest number, and the last program runs first.
"""

from __future__ import annotations

import inspect
import itertools
from typing import Any, Callable, Iterator, Mapping

from . import language, runtime
from .language.programs import check_inside, program
from .language.values import constexpr, pointer, scalar
from .runtime.autotuner import Config, autotune

#: Compiler options, which are not parameters of the kernel.
OPTIONS = {"num_warps", "num_stages", "num_ctas", "maxnreg", "waves_per_eu", "matrix_instr_nonkdim"}


def cdiv(x: int, y: int) -> int:
    """Returns the quotient, rounded up."""
    return -(-x // y)


def next_power_of_2(n: int) -> int:
    """Returns the smallest power of two that is not less than `n`."""
    return 1 << (n - 1).bit_length()


class JITFunction:
    """A kernel: `kernel[grid](...)` starts it, and another kernel may call it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.signature = inspect.signature(function)
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        check_inside()
        return self.function(*arguments, **named)

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return lambda *arguments, **named: self.start(grid, arguments, named)

    def start(self, grid: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        """Runs all programs of a grid."""
        self._check_globals()
        parameters = self.signature.parameters
        named = {name: value for name, value in named.items() if name in parameters or name not in OPTIONS}
        bound = self.signature.bind(*arguments, **named)
        bound.apply_defaults()
        constants = {name: value for name, value in bound.arguments.items() if is_constant(parameters[name])}
        values = {
            name: value if name in constants else argument(name, value) for name, value in bound.arguments.items()
        }
        found: Any = grid(constants) if callable(grid) else grid
        counts = (found,) if isinstance(found, int) else tuple(found)
        for numbers in reversed(list(programs(counts))):
            with program(numbers, counts):
                self.function(**values)

    def _check_globals(self) -> None:
        for name in self.function.__code__.co_names:
            value = self.function.__globals__.get(name)
            if isinstance(value, (int, float)) and not isinstance(value, constexpr.kinds):
                raise NameError(f"{self.__name__} reads the global {name}, which has to be a tl.constexpr")


def programs(counts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Returns the numbers of all programs of a grid."""
    if not 1 <= len(counts) <= 3 or min(counts) < 1:
        raise ValueError(f"a grid has one to three dimensions of at least 1, not {counts}")
    return itertools.product(*[range(count) for count in counts])


def is_constant(parameter: inspect.Parameter) -> bool:
    """Whether a parameter is a `tl.constexpr`."""
    annotation = parameter.annotation
    return annotation is constexpr or isinstance(annotation, str) and annotation.endswith("constexpr")


def argument(name: str, value: Any) -> Any:
    """Converts an argument that is not a constant for the kernel."""
    if value is None:
        return None
    if isinstance(value, (bool, int, float)):
        return scalar(value)
    if hasattr(value, "data_ptr"):
        return pointer.to_tensor(value, name)
    raise TypeError(f"a kernel takes tensors and numbers: {name} is a {type(value).__name__}")


def jit(function: Callable[..., Any] | None = None, **_: Any) -> Any:
    """Converts a function to a kernel."""
    return jit if function is None else JITFunction(function)


__all__ = ["Config", "JITFunction", "autotune", "cdiv", "jit", "language", "next_power_of_2", "runtime"]
