"""Scale space of a photograph of the night sky, as in SIFT (Lowe, "Distinctive Image Features from Scale-Invariant
Keypoints", IJCV 60, 2004).

In each octave, every image is the blurred previous one, the difference of the two shows the stars of that scale, and
Sobel filters measure the slopes of the last one, whose every other pixel begins the next octave. A blur keeps the total
light, which a kernel that errs to one side gains or loses step by step. Towards the ground, the sky darkens through the
range of subnormal numbers to black."""

import os

import torch
import torch.nn.functional as F

from kernelbot_tester.inputs import RandomInputs

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
SOBEL = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]], device=DEVICE) / 8


def run(
    size: int, hidden: int, kernelsize: int, sigma: float, channels: int, batch: int, octaves: int, blurs: int, seed: int, padded: int = 0
):
    """Analyses `batch` photographs of `channels` colours, whose side is drawn from `size` to `size + hidden`. `sigma`:
    standard deviation of a blur, in pixels. `padded`: 1: the side is that of the first input of a blur, which has edges."""
    random = RandomInputs(seed, DEVICE)
    side = size + int(random.integers(0, hidden + 1, 1)) - padded * (kernelsize - 1)
    image = stars(random, batch, channels, side)
    distance = torch.arange(kernelsize, device=DEVICE) - kernelsize // 2
    weights = (-distance.square() / (2 * sigma**2)).exp()
    gaussian = torch.outer(weights, weights) / weights.sum() ** 2
    results = {}
    for octave in range(octaves):
        for _ in range(blurs):
            before, image = image, (yield inputs(image, gaussian))
        across = yield inputs(image, SOBEL)
        down = yield inputs(image, SOBEL.t())
        results[f"stars of octave {octave}"] = (image - before).abs().amax((2, 3))
        results[f"slopes of octave {octave}"] = torch.hypot(across, down).mean((2, 3))
        results[f"light of octave {octave}"] = image.double().sum()
        image = image[..., ::2, ::2].contiguous()
    return {**results, "image": image}


def stars(random: RandomInputs, batch: int, channels: int, side: int) -> torch.Tensor:
    """Returns images with stars in one of eight pixels, which fade below the upper third."""
    light = random.uniform(batch, channels, side, side).mul_(8)
    light.mul_(random.uniform(batch, 1, side, side) < 0.125)
    below = torch.arange(side, dtype=torch.float64, device=DEVICE).sub_(side // 3).clamp_min_(0)
    return (light * (-below.square() / 2).exp()[:, None]).float()


def inputs(image: torch.Tensor, weights: torch.Tensor):
    """Returns the input of a call that filters each colour by itself. Pixels outside the image are those of its edge."""
    channels, side = image.shape[1], len(weights)
    before, after = side // 2, (side - 1) // 2
    padded = F.pad(image, (before, after, before, after), mode="replicate")
    filters = torch.eye(channels, device=DEVICE)[:, :, None, None] * weights
    return padded, filters.contiguous(), torch.empty_like(image)
