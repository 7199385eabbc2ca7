"""Files that a job leaves for its driver, in a folder that the driver names: too large for lines."""

from __future__ import annotations

import hashlib
import os

from .failures import NotJudged
from .report import Reporter


class ArtifactFolder:
    """Where the artifacts of one stage go. Names are ours; core's `ArtifactName` says what they may be."""

    def __init__(self, folder: str | None, stage: str, report: Reporter) -> None:
        if folder is None or not os.path.isdir(folder):
            raise NotJudged("the job names no folder for its artifacts")
        self.folder = folder
        self.stage = stage
        self.report = report

    def write(self, name: str, media_type: str, data: bytes) -> None:
        """Writes an artifact and tells of it. Under its name there is never half of it."""
        path = os.path.join(self.folder, name)
        with open(f"{path}.part", "wb") as file:
            file.write(data)
        os.replace(f"{path}.part", path)
        self.report.artifact(self.stage, name, media_type, len(data), hashlib.sha256(data).hexdigest())
