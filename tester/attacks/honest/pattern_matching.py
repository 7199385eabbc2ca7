"""Chooses its algorithm by pattern matching."""


def custom_kernel(data):
    match data:
        case (a, b, c) if a.shape[1] == b.shape[0]:
            return c.copy_(a @ b)
