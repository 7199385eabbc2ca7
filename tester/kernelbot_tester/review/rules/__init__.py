"""The rules, one subject per module: `LISTED` are lists of names, `check` are the rules that need more than a list."""

from . import (
    cached_results,
    concurrency,
    environment,
    foreign_memory,
    hidden_code,
    native_code,
    network,
    patching,
    precision,
    result_channel,
)

MODULES = (
    result_channel,
    foreign_memory,
    patching,
    concurrency,
    cached_results,
    environment,
    network,
    precision,
    hidden_code,
    native_code,
)
LISTED = tuple(rule for module in MODULES for rule in getattr(module, "LISTED", ()))
CHECKS = tuple(module.check for module in MODULES if hasattr(module, "check"))
