"""The runtime that starts kernels, as far as the stand-in implements it."""

from .autotuner import Autotuner
from .driver import driver

__all__ = ["Autotuner", "driver"]
