"""The runtime that starts kernels, as far as the fake device implements it."""

from .autotuner import Autotuner
from .driver import driver

__all__ = ["Autotuner", "driver"]
