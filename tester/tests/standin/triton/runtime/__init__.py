"""What starts kernels, as far as the stand-in has it."""

from .autotuner import Autotuner
from .driver import driver

__all__ = ["Autotuner", "driver"]
