"""Doubles a list of numbers."""

import random


def generate_input(size, seed):
    generator = random.Random(seed)
    return [generator.randrange(1000) for _ in range(size)]


def check_implementation(data, output):
    if output == [2 * value for value in data]:
        return True, ""
    return False, f"mismatch found!\n  got:\n{output}"
