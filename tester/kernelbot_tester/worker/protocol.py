"""Messages of the judge to the zygote and to the processes in cells (wire.py). Answers of these processes are untrusted:
the judge reads them as `Mapping[str, object]`."""

from __future__ import annotations

from typing import Any, Literal, Mapping, TypedDict

#: Node of an input's tree (layout.py): one entry of a kind and its content, whose type depends on the kind.
Tree = Mapping[str, Any]

Role = Literal["worker", "builder", "problem", "harness"]


class DeviceRequest(TypedDict):
    """Accelerator that a process opens in its cell: the fields of `DriverChoice`, and the driver's name of the device
    (None: unknown)."""

    driver: list[str]
    visible: str | None


#: Request to the zygote, without files, to import what workers need to build PyTorch extensions. It stays imported.
PRELOAD_EXTENSIONS = b"preload extensions"
#: Request to the zygote, without files, to create cells for the next run. It ends with the next request.
PREPARE_CELLS = b"prepare cells"


class ProcessRequest(TypedDict):
    """Request to the zygote for a process, or for the ranks of a group, with the open files described in zygote.py."""

    role: Role
    #: Cores on which the process runs.
    cores: list[int]
    threads: int
    #: None: the processor. One for each rank; none for a harness.
    devices: list[DeviceRequest | None]
    #: Whether the cell has a network of its own.
    network: bool


class Hello(TypedDict):
    """First message of a process, sent before any user code is loaded."""

    hello: int
    #: Whether it can ever be allowed to start processes.
    processes: bool


class RankGroup(TypedDict):
    """A rank's place in its process group; `store` is the file through which the ranks find each other."""

    rank: int
    size: int
    backend: str
    store: str


class DeviceProperties(TypedDict):
    """Properties of a simulated device, by the names of `torch.cuda.get_device_properties`."""

    name: str
    total_memory: int
    multi_processor_count: int
    major: int
    minor: int
    warp_size: int


class LoadModule(TypedDict):
    """Request to a worker to import a submission in Python, with the packed compiler cache if there is one."""

    files: dict[str, str]
    folder: str
    cache: str
    module: str
    function: str
    group: RankGroup | None
    #: In a rehearsal.
    simulated_device: DeviceProperties | None


class LoadLibrary(TypedDict):
    """Request to a worker to load a shared object from an open file; `module` is the name of its source."""

    folder: str
    module: str
    function: str


class Bind(TypedDict):
    """Order to map the memories (kind and size; their files are attached) of an input with this tree. Each shift, in
    bytes, makes a binding of its own, the first of which has the number `first`."""

    op: Literal["bind"]
    index: int
    first: int
    shifts: list[int]
    tree: Tree
    outputs: int
    memories: list[tuple[str, int]]


class Forget(TypedDict):
    """Order to unmap an input."""

    op: Literal["forget"]
    index: int


class Burst(TypedDict):
    """Order to keep these bindings for bursts, and to map the memory (its file is attached) with the gate: a word of 32
    bits, for which the device waits before it starts a burst."""

    op: Literal["burst"]
    bindings: list[int]
    size: int


class Command(TypedDict):
    """Order to start the profiler, to return its result, or to pack the compiler cache, each into an attached file."""

    op: Literal["profile", "hand_over", "pack"]


Order = Bind | Forget | Burst | Command

#: Failure that a worker reports. `class` is a failure class, or `not_here` in a rehearsal.
WorkerError = TypedDict("WorkerError", {"class": str, "message": str, "detail": "str | None"})


class HarnessRequest(TypedDict):
    """Request to a harness process to run the problem's own harness."""

    folder: str
    files: dict[str, str]
    main: str
    mode: str
    cases: str
    environment: dict[str, str]


class BuildRequest(TypedDict):
    """Request to a builder to compile our entry with the problem's headers."""

    folder: str
    files: dict[str, str]
    language: str
    flags: list[str]
    architecture: str | None


class ProfiledJob(TypedDict):
    """Calls that a device profiler records."""

    files: dict[str, str]
    module: str
    function: str
    device: str
    calls: int


class ProfileRequest(TypedDict):
    """Request to run a device profiler; `text` and `report` are patterns of the files that it writes."""

    job: ProfiledJob
    folder: str
    commands: list[list[str]]
    text: str
    report: str
    #: Path of our C library, and the fields of `Limits`.
    library: str
    limits: dict[str, int]
