"""Stand-ins for the classes of the frameworks that the package imports. They accept the keywords that the frameworks document
and no others."""

from __future__ import annotations

import math
import sys
import types
from typing import Any, Callable


class Strict:
    """Object with the annotated fields of its class, which are required unless the class has a value."""

    def __init__(self, **values: Any) -> None:
        known = {name: None for each in reversed(type(self).__mro__) for name in vars(each).get("__annotations__", {})}
        for name in values:
            assert name in known, f"{type(self).__name__} has no field {name}"
        for name in known:
            if name.startswith("_"):
                continue
            assert name in values or hasattr(type(self), name), f"{type(self).__name__} needs {name}"
            if name in values:
                setattr(self, name, values[name])


def install(**modules: dict[str, Any]) -> None:
    """Makes modules importable; underscores of a name are dots."""
    for name, members in modules.items():
        name = name.replace("__", ".")
        for end in range(1, name.count(".") + 2):
            package = ".".join(name.split(".")[:end])
            sys.modules.setdefault(package, types.ModuleType(package)).__path__ = []  # type: ignore[attr-defined]
        vars(sys.modules[name]).update(members)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, sys.modules[name])


def uninstall(*roots: str) -> None:
    for name in list(sys.modules):
        if name.split(".")[0] in roots:
            del sys.modules[name]


def install_inspect() -> None:
    class Sample(Strict):
        input: str
        id: str
        metadata: dict[str, Any]

    class Task(Strict):
        dataset: list[Sample]
        solver: Any
        scorer: Any

    class Score(Strict):
        value: float
        answer: str | None = None
        explanation: str | None = None
        metadata: dict[str, Any] | None = None

        @classmethod
        def unscored(cls, *, answer: Any = None, explanation: Any = None, metadata: Any = None) -> Score:
            return cls(value=math.nan, answer=answer, explanation=explanation, metadata=metadata)

    def scorer(*, metrics: list[Any]) -> Callable[[Any], Any]:
        assert metrics == ["mean", "stderr"]
        return lambda function: function

    install(
        inspect_ai={"Task": Task, "task": lambda function: function},
        inspect_ai__dataset={"Sample": Sample},
        inspect_ai__scorer={
            "Score": Score,
            "Scorer": object,
            "Target": object,
            "mean": lambda: "mean",
            "stderr": lambda: "stderr",
            "scorer": scorer,
        },
        inspect_ai__solver={"TaskState": object, "generate": lambda: "generate"},
    )


def install_verifiers() -> None:
    class Generic:
        def __class_getitem__(cls, parameters: Any) -> type:
            return cls

    class TaskData(Strict):
        idx: int | None = None
        name: str | None = None
        prompt: str | None = None

    class Task(Generic):
        def __init__(self, data: TaskData, config: Any = None) -> None:
            self.data, self.config = data, config

    class TasksetConfig(Strict):
        id: str = ""
        task: str = "task config"

    class Taskset(Generic):
        def __init__(self, config: TasksetConfig) -> None:
            self.config = config

    class Trace:
        def __init__(self, last_reply: str) -> None:
            self.last_reply = last_reply
            self.metrics: dict[str, float] = {}

        def record_metrics(self, metrics: dict[str, float]) -> None:
            self.metrics.update(metrics)

    def reward(*, weight: float) -> Callable[[Any], Any]:
        return lambda function: function

    members = [TaskData, Task, TasksetConfig, Taskset, Trace, reward]
    install(verifiers__v1={member.__name__: member for member in members})


def install_nemo_gym() -> None:
    class Model(Strict):
        def model_dump(self, *, mode: str) -> dict[str, Any]:
            assert mode == "json"
            return {
                name: value.model_dump(mode=mode) if isinstance(value, Model) else value
                for name, value in vars(self).items()
            }

    class BaseVerifyRequest(Model):
        responses_create_params: Any
        response: Any

    class BaseVerifyResponse(BaseVerifyRequest):
        reward: float

    class SimpleResourcesServer:
        def __init__(self) -> None:
            self._client = type(self)._client()  # type: ignore[attr-defined]

    class JSONResponse:
        def __init__(self, content: dict[str, Any]) -> None:
            self.content = content

    install(
        fastapi__responses={"JSONResponse": JSONResponse},
        pydantic={"BaseModel": Model, "PrivateAttr": lambda *, default_factory: default_factory},
        nemo_gym__base_resources_server={
            "BaseVerifyRequest": BaseVerifyRequest,
            "BaseVerifyResponse": BaseVerifyResponse,
            "SimpleResourcesServer": SimpleResourcesServer,
        },
    )
