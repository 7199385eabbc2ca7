"""Server and token: the arguments, then KERNELBOT_SERVER and KERNELBOT_TOKEN, then what `kernelbot login` stored."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Mapping, NamedTuple
from urllib.parse import urlsplit

DEFAULT_URL = "http://127.0.0.1:8080"


class Settings(NamedTuple):
    """Base URL of a server, without a trailing slash, and the token that is sent to it; None for none."""

    url: str
    token: str | None


def read_settings(url: str | None, token: str | None, env: Mapping[str, str] = os.environ) -> Settings:
    """Returns the settings of a client. A stored token is sent only to the server that it was stored for.

    Raises:
        ValueError: The URL is not one of a server.
    """
    stored = _read_stored(env)
    server = server_url(url or env.get("KERNELBOT_SERVER") or stored.get("server") or DEFAULT_URL)
    stored_token = stored.get("token") if server_url(stored.get("server") or DEFAULT_URL) == server else None
    return Settings(server, token or env.get("KERNELBOT_TOKEN") or stored_token)


def server_url(text: str) -> str:
    """Returns a server's URL without trailing slashes.

    Raises:
        ValueError: The text is not an http or https URL.
    """
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{text!r} is not a valid server URL; use one such as {DEFAULT_URL}")
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def _read_stored(env: Mapping[str, str]) -> dict[str, str]:
    """Returns `server` and `token` of the command line's configuration file. Python 3.10 has no reader of TOML; this one
    reads strings above the first table."""
    folder = env.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    try:
        text = (Path(folder) / "kernelbot" / "config.toml").read_text("utf-8")
    except OSError:
        return {}
    found = re.findall(r"""^\s*(server|token)\s*=\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)')""", text.split("\n[")[0], re.M)
    return {name: json.loads(quoted) if quoted else literal for name, quoted, literal in found}
