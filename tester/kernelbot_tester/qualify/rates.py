"""Compares the rates that the tester's probe measured with the vendor's data sheet."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Iterator

from ..messages import DataSheet, MeasuredRates
from .figures import Figure, Row
from .session import Session

#: Data sheets of accelerators: a copy of core's, from which the boards' speed-of-light bounds are computed, since
#: `tester` may be installed without core.
SHEETS = Path(__file__).resolve().parent / "hardware.json"
#: Minimum rates in per cent of the data sheet, below which the machine has a fault. The probe reads float32 and
#: multiplies float16; the sheet's rate is that of the fastest precision, up to eight times as fast.
LEAST_MEMORY, LEAST_ARITHMETIC = 50.0, 5.0


def rates(session: Session) -> Iterator[Row]:
    """Yields the rows of the processor and of each accelerator."""
    machine = session.tester().machine
    yield measured("processor's rates", machine["cpu"]["measured"], None)
    for number, accelerator in enumerate(machine["accelerators"] if session.device != "cpu" else []):
        sheet = data_sheet(accelerator["model"])
        yield measured(f"rates of device {number}", accelerator["measured"], sheet)


def measured(name: str, found: MeasuredRates | None, sheet: DataSheet | None) -> Row:
    """Returns the row of one device."""
    if found is None:
        return Row(name, False, "the probe could not measure it", "Start the tester with `serve` and read its standard error")
    memory, arithmetic = found["memoryBytesPerS"], found["operationsPerS"]
    figures = [Figure("reads memory at", memory / 1e9, "GB/s")]
    if arithmetic is not None:
        figures.append(Figure("multiplies matrices at", arithmetic / 1e9, "Gop/s"))
    if sheet is None:
        return Row(name, True, "no data sheet to compare with", None, figures)
    parts = [Figure("of the data sheet's bandwidth", 100 * memory / sheet["memory"]["value"] / 1e9, "%")]
    if arithmetic is not None:
        parts.append(Figure("of its fastest arithmetic", 100 * arithmetic / sheet["arithmetic"]["value"] / 1e12, "%"))
    low = [part for part, least in zip(parts, (LEAST_MEMORY, LEAST_ARITHMETIC)) if part.value < least]
    detail = f"{sheet['name']} ({sheet['variant']})" + (": far below its data sheet" if low else "")
    fix = "Check whether another program uses the device, or its clock or power is limited (nvidia-smi -q -d PERFORMANCE,POWER)"
    return Row(name, not low, detail, fix, [*figures, *parts])


def data_sheet(model: str) -> DataSheet | None:
    """Returns the data sheet of an accelerator by its driver's model name, as core's `dataSheetOf`; None where none
    matches."""
    return next((sheet for sheet in json.loads(SHEETS.read_text("utf-8")) if re.fullmatch(sheet["model"], model)), None)
