"""HTTP connections to a server: kept alive, and requests that are repeated until the server accepts them."""

from __future__ import annotations

import base64
import http.client
import json
import logging
import os
import random
import ssl
import time
import urllib.request
from http import HTTPStatus
from typing import Any, Mapping, NamedTuple
from urllib.parse import unquote, urlencode, urlsplit

from kernelbot._version import __version__
from kernelbot.errors import ApiError, KernelBotError, UnavailableError

_log = logging.getLogger("kernelbot")

#: Statuses after which a request is repeated: a limit is reached, or a proxy or the server is not available.
_RETRIED = (429, 502, 503, 504)
#: Delays before a request is repeated, in seconds. They double from the first to the last, each times 0.5 to 1.
_FIRST_DELAY_S = 0.25
_LAST_DELAY_S = 15.0


class _Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Sends requests, from any thread. Every request must be safe to repeat: a POST needs an idempotency key.

    A copy in another process, by fork or pickle, opens connections of its own.
    """

    def __init__(self, url: str, token: str | None, *, timeout: float, retry_seconds: float) -> None:
        self.url = url
        self._token = token
        self._timeout = timeout
        self._retry_seconds = retry_seconds
        # Appending to a list and taking from it are atomic.
        self._idle: list[http.client.HTTPConnection] = []
        self._process = os.getpid()

    def __del__(self) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_idle": []}

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, float] | None = None,
        body: object = None,
        key: str | None = None,
        wait: float = 0,
        retry_seconds: float | None = None,
    ) -> Any:
        """Returns the JSON of a successful response; None for one without content.

        Args:
            wait: Seconds for which the server may wait before it responds.
            retry_seconds: Seconds after the first failure for which the request is repeated.

        Raises:
            ApiError: The server refused the request.
            UnavailableError: The request failed for `retry_seconds`.
        """
        target = f"/api/v1{path}" + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        headers = {"accept": "application/json", "user-agent": f"kernelbot-python/{__version__}"}
        if data is not None:
            headers["content-type"] = "application/json"
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        if key is not None:
            headers["idempotency-key"] = key
        patience = self._retry_seconds if retry_seconds is None else retry_seconds
        give_up: float | None = None
        delay = _FIRST_DELAY_S
        while True:
            pause = delay * random.uniform(0.5, 1)
            try:
                response = self._send(method, target, data, headers, self._timeout + wait)
            except ssl.SSLCertVerificationError as error:
                raise UnavailableError(f"cannot connect to {self.url}: {error}") from error
            except (OSError, http.client.HTTPException) as error:
                failure: KernelBotError = UnavailableError(f"cannot reach the server at {self.url} ({_reason(error)})")
                failure.__cause__ = error
            else:
                if response.status < 300:
                    return self._parse(response)
                refusal = self._refusal(response)
                if response.status not in _RETRIED:
                    raise refusal
                failure = UnavailableError(f"{self.url} responded {response.status}: {refusal}")
                pause = max(pause, _retry_after(response))
            now = time.monotonic()
            give_up = give_up or now + patience
            if now + pause > give_up:
                raise failure
            _log.warning("%s; retrying in %.1f s", failure, pause)
            time.sleep(pause)
            delay = min(delay * 2, _LAST_DELAY_S)

    def close(self) -> None:
        """Closes the idle connections. The next request opens one again."""
        while self._idle:
            self._idle.pop().close()

    def _send(
        self, method: str, target: str, data: bytes | None, headers: Mapping[str, str], timeout: float
    ) -> _Response:
        """Sends a request once; again if the server has closed the idle connection that was used."""
        if self._process != os.getpid():
            self._idle, self._process = [], os.getpid()
        try:
            connection, is_reused = self._idle.pop(), True
        except IndexError:
            connection, is_reused = self._connect(), False
        try:
            return self._exchange(connection, method, target, data, headers, timeout)
        except (ConnectionError, http.client.HTTPException):
            if not is_reused:
                raise
            return self._exchange(self._connect(), method, target, data, headers, timeout)

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        data: bytes | None,
        headers: Mapping[str, str],
        timeout: float,
    ) -> _Response:
        done = False
        try:
            connection.timeout = timeout
            if connection.sock is not None:
                connection.sock.settimeout(timeout)
            connection.request(method, urlsplit(self.url).path + target, data, dict(headers))
            response = connection.getresponse()
            body = response.read()
            done = not response.will_close
            return _Response(response.status, {name.lower(): value for name, value in response.getheaders()}, body)
        finally:
            if done:
                self._idle.append(connection)
            else:
                connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        """Returns a connection to the server, through the proxy that the environment names for https."""
        url = urlsplit(self.url)
        host = url.hostname or ""
        if url.scheme == "http":
            return http.client.HTTPConnection(host, url.port)
        proxy = urllib.request.getproxies().get("https")
        if proxy is None or urllib.request.proxy_bypass(host):
            return http.client.HTTPSConnection(host, url.port)
        address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        connection = http.client.HTTPSConnection(address.hostname or "", address.port)
        credentials = address.netloc.rpartition("@")[0]
        headers = (
            {"Proxy-Authorization": "Basic " + base64.b64encode(unquote(credentials).encode()).decode()}
            if credentials
            else {}
        )
        connection.set_tunnel(host, url.port or 443, headers)
        return connection

    def _parse(self, response: _Response) -> Any:
        if response.status == HTTPStatus.NO_CONTENT:
            return None
        try:
            return json.loads(response.body)
        except ValueError as error:
            message = f"the response of {self.url} is not JSON: check that it is the address of a KernelBot server"
            raise ApiError(message, status=response.status, code="invalid_response") from error

    def _refusal(self, response: _Response) -> ApiError:
        location = response.headers.get("location")
        if location is not None:
            message = f"{self.url} redirects to {location}: use the address of the server that it redirects to"
            return ApiError(message, status=response.status, code="invalid_response")
        try:
            body = json.loads(response.body)
            return ApiError(str(body["detail"]), status=response.status, code=str(body["code"]))
        except (ValueError, KeyError, TypeError):
            message = f"{self.url} responded {response.status} without the reason"
            return ApiError(message, status=response.status, code="invalid_response")


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _retry_after(response: _Response) -> float:
    """Returns the seconds in the header Retry-After; 0 if there are none."""
    value = response.headers.get("retry-after", "")
    return float(value) if value.isdigit() else 0.0
