"""Uses the thread pool of multiprocessing."""

from multiprocessing.pool import ThreadPool
import torch

pool = ThreadPool(2)


def custom_kernel(data):
    a, b, _ = data
    return torch.cat(pool.map(lambda part: part @ b, a.chunk(2)))
