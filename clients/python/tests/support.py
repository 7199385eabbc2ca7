"""A fake server of KernelBot in this process, whose responses are those of the real one, with faults on demand."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kernelbot import Client  # noqa: E402

VERSION = "1330d2bdd23879ae6b0a631ec4385551a076605f40a93dbbc00dd8792f7207bf"

QUEUED: dict[str, Any] = {
    "level": "reward",
    "outcome": None,
    "passed": 0,
    "total": 3,
    "speedup": None,
    "id": 1,
    "problem": "double",
    "target": "cpu",
    "priority": "training",
    "tags": {},
    "state": "queued",
    "reward": None,
    "rule": "log-gain@1",
    "feedback": None,
    "cached": False,
    "session": None,
    "unsandboxed": False,
    "legacyHarness": False,
    "createdAt": "2026-11-26T04:37:12.333Z",
    "endedAt": None,
    "queueMs": None,
    "queueReason": None,
    "judgeMs": None,
    "versions": {"problem": VERSION, "tester": None, "machine": None},
}
DONE: dict[str, Any] = {
    **QUEUED,
    "state": "done",
    "outcome": "passed",
    "passed": 3,
    "speedup": {"low": 3.9215686274509802, "mid": 4, "high": 4.08},
    "reward": 0.9900007967311302,
    "feedback": "passed, 3 of 3 cases passed; 4.00x as fast as the reference (95 % CI 3.92 to 4.08)",
    "endedAt": "2026-11-26T04:37:12.425Z",
    "queueMs": 53,
    "queueReason": None,
    "judgeMs": 38,
    "versions": {"problem": VERSION, "tester": "1", "machine": "Fast CPU, 2 threads"},
}
INFRA_ERROR: dict[str, Any] = {
    **DONE,
    "outcome": "infra_error",
    "passed": 0,
    "speedup": None,
    "reward": None,
    "feedback": "not judged: the platform failed, not the code",
}
WRONG: dict[str, Any] = {
    **DONE,
    "outcome": "wrong_result",
    "passed": 0,
    "speedup": None,
    "reward": 0.0,
    "feedback": "failed: wrong result, 0 of 3 cases passed",
}
PROBLEM: dict[str, Any] = {
    "spec": {
        "name": "double",
        "description": "Doubles a vector.",
        "lang": "py",
        "languages": {"py": {}},
        "templates": {"Python": "def custom_kernel(data): ...\n"},
        "targets": {"cpu": {}, "H100": {}},
    },
    "files": {"reference.py": "def ref_kernel(data): ...\n"},
    "set": "set",
    "version": VERSION,
    "openTargets": ["cpu", "H100"],
    "competition": None,
}
PROBLEMS = {
    "problems": [
        {
            "name": "double",
            "targets": ["cpu", "H100"],
            "version": VERSION,
            "competition": None,
            "tags": [],
            "difficulty": None,
        }
    ]
}

UPLOAD: dict[str, Any] = {
    "problem": f"sha256:{VERSION}",
    "name": "double",
    "targets": ["cpu"],
    "sizeBytes": 1200,
    "usedAt": "2026-11-26T04:37:12.333Z",
    "openEvaluations": 0,
}

#: Takes the handler instead of it responding: returns whether it has responded or broken the connection.
Fault = Callable[["Handler"], None]


def refuse(status: int, code: str, retry_after: int | None = None) -> Fault:
    """Returns a fault that responds with an error."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    detail = "this token has 4 of at most 4 queued and running evaluations, so 1 evaluation must wait"
    return lambda handler: handler.respond(status, {"detail": detail, "code": code}, headers)


def lose_response(handler: Handler) -> None:
    """Handles the request and breaks the connection instead of responding."""
    handler.server.fake.handle(handler)
    handler.close_connection = True


class FakeServer:
    """Server that judges at the first request for a result.

    Attributes:
        results: Result of each source; `DONE` by default.
        faults: What to do instead of responding, for the next requests.
        requests: Requests in order, such as `POST /evaluations`, with their idempotency keys.
        connections: Number of connections so far.
    """

    def __init__(self) -> None:
        self.results: dict[str, dict[str, Any]] = {}
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str | None]] = []
        self.bodies: list[Any] = []
        self.connections = 0
        self.uploads: dict[str, dict[str, Any]] = {}
        self.evaluations: list[dict[str, Any]] = []
        self._codes: list[str] = []
        self._batches: list[list[int]] = []
        self._keys: dict[str, Any] = {}
        self._http = _Http(("127.0.0.1", 0), Handler)
        self._http.fake = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def client(self, **options: Any) -> Client:
        return Client(self.url, "kb_secret", **options)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def handle(self, handler: Handler) -> tuple[int, Any]:
        """Returns the status and body of the response to a request."""
        path = handler.path.removeprefix("/api/v1").split("?")[0]
        match handler.command, path.strip("/").split("/"):
            case "POST", ["evaluations"]:
                number = self._once(handler, lambda: self._create(handler.body))
                return 202, self.evaluations[number - 1]
            case "POST", ["evaluations", "batches"]:
                return 202, self._once(handler, lambda: self._create_batch(handler.body["evaluations"]))
            case "GET", ["evaluations", "batches", number]:
                members = self._batches[int(number) - 1]
                after = int(handler.path.split("after=")[1].split("&")[0])
                # One by one, the last one first.
                ended = list(reversed(members))[after : after + 1]
                results = [{**self._judge(each), "number": after + 1} for each in ended]
                return 200, {"id": int(number), "size": len(members), "ended": after + 1, "results": results}
            case "DELETE", ["evaluations", "batches", number]:
                size = len(self._batches[int(number) - 1])
                return 200, {"id": int(number), "size": size, "ended": size, "results": []}
            case "GET", ["evaluations", "problems"]:
                return 200, {"problems": list(self.uploads.values())}
            case "GET", ["evaluations", number]:
                return 200, self._judge(int(number))
            case "DELETE", ["evaluations", number]:
                evaluation = self.evaluations[int(number) - 1]
                evaluation.update(state="cancelled", endedAt=DONE["endedAt"])
                return 200, evaluation
            case "POST", ["evaluations", "problems"]:
                name = next(iter(handler.body["files"])).split("/")[0]
                self.uploads = {f"sha256:{VERSION}": {**UPLOAD, "name": name}}
                return 200, self.uploads[f"sha256:{VERSION}"]
            case "DELETE", ["evaluations", "problems", problem] if problem in self.uploads:
                del self.uploads[problem]
                return 204, None
            case "GET", ["problems"]:
                return 200, PROBLEMS
            case "GET", ["problems", "double"]:
                return 200, PROBLEM
            case _:
                return 404, {"detail": f'problem "{path}" not found', "code": "not_found"}

    def _once(self, handler: Handler, create: Callable[[], Any]) -> Any:
        key = handler.headers["idempotency-key"]
        if key not in self._keys:
            self._keys[key] = create()
        return self._keys[key]

    def _create(self, request: dict[str, Any]) -> int:
        number = len(self.evaluations) + 1
        known = {name: request[name] for name in ("problem", "target", "level", "rule", "tags")}
        self.evaluations.append({**QUEUED, **known, "id": number})
        self._codes.append(request["code"])
        return number

    def _create_batch(self, requests: list[dict[str, Any]]) -> dict[str, Any]:
        self._batches.append([self._create(each) for each in requests])
        return {"id": len(self._batches), "evaluations": self._batches[-1]}

    def _judge(self, number: int) -> dict[str, Any]:
        evaluation = self.evaluations[number - 1]
        if evaluation["state"] == "queued":
            own = {name: evaluation[name] for name in ("id", "problem", "target", "level", "rule", "tags")}
            evaluation.update({**self.results.get(self._codes[number - 1], DONE), **own})
        return evaluation


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeServer


class Handler(BaseHTTPRequestHandler):
    """Connection of a client."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http
    body: Any

    def setup(self) -> None:
        self.server.fake.connections += 1
        super().setup()

    def do_GET(self) -> None:
        fake = self.server.fake
        assert self.headers["authorization"] == "Bearer kb_secret"
        length = int(self.headers.get("content-length", 0))
        self.body = json.loads(self.rfile.read(length)) if length else None
        path = self.path.removeprefix("/api/v1").split("?")[0]
        fake.requests.append((f"{self.command} {path}", self.headers["idempotency-key"]))
        fake.bodies.append(self.body)
        if fake.faults:
            fake.faults.pop(0)(self)
        else:
            self.respond(*fake.handle(self))

    do_POST = do_DELETE = do_GET

    def respond(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass
