"""Writes files that are too large for event lines, into a folder that the job names."""

from __future__ import annotations

import hashlib
import os

from ..failures import NotJudged
from ..messages import MediaType, Stage
from .report import Reporter


class ArtifactFolder:
    """Folder for the artifacts of one stage. The tester chooses the names; core's `ArtifactName` says which are
    valid."""

    def __init__(self, folder: str | None, stage: Stage, report: Reporter) -> None:
        if folder is None or not os.path.isdir(folder):
            raise NotJudged("the job names no folder for its artifacts")
        self.folder = folder
        self.stage: Stage = stage
        self.report = report

    def write(self, name: str, media_type: MediaType, data: bytes) -> None:
        """Writes an artifact and reports it. The file appears under its name only once it is complete."""
        path = os.path.join(self.folder, name)
        with open(f"{path}.part", "wb") as file:
            file.write(data)
        os.replace(f"{path}.part", path)
        digest = hashlib.sha256(data).hexdigest()
        self.report.artifact(self.stage, {"name": name, "mediaType": media_type, "sizeBytes": len(data), "sha256": digest})
