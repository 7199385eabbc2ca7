"""Condition of an accelerator while it is timed: clocks, temperature, power and throttling.

Sources: NVML API reference, sections Device Queries and NvmlClocksEventReasons; for AMD the kernel's documentation of
amdgpu, Hardware Monitoring.
"""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Protocol, Sequence

from ..messages import Conditions
from ..judge.statistics import median

#: NVML's bits for involuntary throttling. The software power cap is not included: large kernels run at it permanently.
THROTTLES = {
    0x08: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}
#: A round is marked if its clock is below this fraction of the median of the rounds.
SLOW = 0.95


@dataclass(frozen=True)
class Reading:
    """Condition of a device at one moment; None where the driver does not report a value."""

    sm_mhz: float | None = None
    memory_mhz: float | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    throttled: tuple[str, ...] = ()


class Sensors(Protocol):
    """Source of readings."""

    def read(self) -> Reading:
        """Takes one reading."""
        ...


class Nvml:
    """NVIDIA's management library, which queries a device, named by its index in PCI order or its UUID, without
    opening it for work. Raises OSError without library, driver or device."""

    SM, MEMORY = 1, 2  # nvmlClockType_t

    def __init__(self, name: str, library: str = "libnvidia-ml.so.1") -> None:
        self.library = ctypes.CDLL(library)
        self.device = c_void_p()
        if self.library.nvmlInit_v2() != 0:
            raise OSError(f"{library} finds no driver")
        if name.isdigit():
            result = self.library.nvmlDeviceGetHandleByIndex_v2(c_uint(int(name)), byref(self.device))
        else:
            result = self.library.nvmlDeviceGetHandleByUUID(c_char_p(name.encode()), byref(self.device))
        if result != 0:
            raise OSError(f"{library} finds no device {name}")

    def _number(self, name: str, *arguments: Any) -> int | None:
        """Returns the result of a library function; None where the device has no answer, or the library no longer has
        the function."""
        value = c_uint64() if name.endswith("Reasons") else c_uint()
        function = getattr(self.library, name, None)
        if function is None or function(self.device, *arguments, byref(value)) != 0:
            return None
        return value.value

    def _reasons(self) -> int:
        """Returns the bits of the throttle reasons. The library has renamed the function."""
        names = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")
        return next((bits for name in names if (bits := self._number(name)) is not None), 0)

    def read(self) -> Reading:
        """Takes one reading."""
        power_mw = self._number("nvmlDeviceGetPowerUsage")
        reasons = self._reasons()
        return Reading(
            sm_mhz=self._number("nvmlDeviceGetClockInfo", c_uint(self.SM)),
            memory_mhz=self._number("nvmlDeviceGetClockInfo", c_uint(self.MEMORY)),
            temperature_c=self._number("nvmlDeviceGetTemperature", c_uint(0)),
            power_w=None if power_mw is None else power_mw / 1e3,
            throttled=tuple(name for bit, name in THROTTLES.items() if reasons & bit),
        )

    def uuid(self) -> str | None:
        """Returns the device's UUID, or None."""
        text = ctypes.create_string_buffer(96)
        result = self.library.nvmlDeviceGetUUID(self.device, text, c_uint(len(text)))
        return text.value.decode() if result == 0 else None

    def minor(self) -> int | None:
        """Returns the number in the name of its device file, or None."""
        return self._number("nvmlDeviceGetMinorNumber")

    def is_exclusive(self) -> bool:
        """Whether at most one process may use the device at a time. Judge and worker are two."""
        return self._number("nvmlDeviceGetComputeMode") in (2, 3)  # PROHIBITED, EXCLUSIVE_PROCESS


class AmdSensors:
    """Sensor files of the kernel driver amdgpu, for the device with this number in the name of its device file. Raises
    OSError without them."""

    def __init__(self, render_minor: int, drm: Path = Path("/sys/class/drm")) -> None:
        folders = sorted(drm.glob(f"renderD{render_minor}/device/hwmon/hwmon*"))
        if not folders:
            raise OSError(f"{drm} has no sensors of renderD{render_minor}")
        self.folder = folders[0]

    def _number(self, names: Iterable[str], unit: float) -> float | None:
        for name in names:
            try:
                return int((self.folder / name).read_text()) / unit
            except (OSError, ValueError):
                continue
        return None

    def read(self) -> Reading:
        """Takes one reading, without throttling: its sysfs files differ between driver versions."""
        return Reading(
            sm_mhz=self._number(["freq1_input"], 1e6),
            memory_mhz=self._number(["freq2_input"], 1e6),
            temperature_c=self._number(["temp2_input", "temp1_input"], 1e3),
            power_w=self._number(["power1_average", "power1_input"], 1e6),
        )


def together(readings: Sequence[Reading]) -> Reading | None:
    """Returns the worst of several readings: the lowest clocks, the highest temperature and power, all throttle
    reasons. None if there are none."""
    if not readings:
        return None

    def worst(name: str, pick: Any) -> float | None:
        values = [value for reading in readings if (value := getattr(reading, name)) is not None]
        return pick(values) if values else None

    throttled = sorted({name for reading in readings for name in reading.throttled})
    return Reading(
        worst("sm_mhz", min),
        worst("memory_mhz", min),
        worst("temperature_c", max),
        worst("power_w", max),
        tuple(throttled),
    )


def marks(rounds: Sequence[Reading | None]) -> list[str | None]:
    """Returns for each round why it should be repeated, or None."""
    clocks = [one.sm_mhz for one in rounds if one is not None and one.sm_mhz is not None]
    usual = median(clocks) if clocks else 0.0
    return [mark(one, usual) for one in rounds]


def mark(reading: Reading | None, usual_mhz: float) -> str | None:
    """Returns why a round should be repeated, or None. `usual_mhz`: median clock of the rounds."""
    if reading is None:
        return None
    if reading.throttled:
        return ", ".join(reading.throttled)
    if reading.sm_mhz is not None and reading.sm_mhz < SLOW * usual_mhz:
        return f"{reading.sm_mhz:.0f} MHz, where rounds have {usual_mhz:.0f} MHz"
    return None


def document(reading: Reading, why: str | None) -> Conditions:
    """Returns the reading in its reported form. `why`: why the round is repeated, or None."""
    return {
        "smMhz": reading.sm_mhz,
        "memoryMhz": reading.memory_mhz,
        "temperatureC": reading.temperature_c,
        "powerW": reading.power_w,
        "throttled": list(reading.throttled),
        "mark": why,
    }
