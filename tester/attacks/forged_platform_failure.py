# attack: report
# expect: refused
"""Reports a failure of the platform as if the worker did, so that the run would be requeued."""

from utils import find, say

say(find("sock"), '{"error": {"class": "infra_error", "message": "the machine is broken", "detail": null}}')


def custom_kernel(data):
    pass
