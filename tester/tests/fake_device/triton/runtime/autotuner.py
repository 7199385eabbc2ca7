"""Kernels with several configurations. Choosing the fastest requires a device."""

from __future__ import annotations

from typing import Any, Callable

from .driver import driver


class Config:
    """A configuration for tuning a kernel."""

    def __init__(self, kwargs: dict[str, Any], **_: Any) -> None:
        self.kwargs = kwargs


class Autotuner:
    """A kernel that is started in its fastest configuration."""

    def __init__(self, fn: Any, arg_names: list[str], configs: list[Config], key: list[str], **_: Any) -> None:
        self.fn, self.arg_names, self.configs, self.keys = fn, arg_names, configs, key

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return lambda *arguments, **named: self.fn[grid](*arguments, **named, **self.best().kwargs)

    def best(self) -> Config:
        """Returns the only configuration, or the device's choice."""
        return self.configs[0] if len(self.configs) == 1 else driver.active.get_benchmarker()(self.configs)


def autotune(configs: list[Config], key: list[str], **named: Any) -> Callable[[Any], Autotuner]:
    """Returns a decorator that tunes a kernel for each new combination of the arguments named in `key`."""
    return lambda fn: Autotuner(fn, list(fn.signature.parameters), configs, key, **named)
