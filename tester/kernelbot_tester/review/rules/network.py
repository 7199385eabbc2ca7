"""Network access."""

from __future__ import annotations

from ..listed import Listed, words

LISTED = (
    Listed(
        "network.use",
        "suspicious",
        "{} uses the network, which kernels do not have.",
        words(
            "socket ssl http.client http.server urllib.request urllib3 requests httpx aiohttp ftplib smtplib telnetlib"
            " xmlrpc websockets paramiko zmq socketserver torch.hub torch.distributed.rpc huggingface_hub pip"
        ),
    ),
)
