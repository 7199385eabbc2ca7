"""Network access."""

from __future__ import annotations

from ..listed import Listed, words

LISTED = (
    Listed(
        "network.use",
        "suspicious",
        "{} speaks to the network, of which a kernel has none.",
        words(
            "socket ssl http.client http.server urllib.request urllib3 requests httpx aiohttp ftplib smtplib telnetlib"
            " xmlrpc websockets paramiko zmq socketserver torch.hub torch.distributed.rpc huggingface_hub pip"
        ),
    ),
)
