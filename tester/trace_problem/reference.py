"""A FlashInfer Trace definition in the judge: `definition.py` is its reference, `definition.json` and `workloads.jsonl` are
the documents, `cases.json` has the sizes and stored tensors of each workload."""

import base64
import functools
import hashlib
import json
import math
import os
import random
import re

import definition
import numpy
import torch
from kernelbot_tester.inputs import RandomInputs
from task import DTYPES, INPUTS, OUTPUTS

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

#: Tolerance of flashinfer-bench: share of correct elements, by the kind of the operator.
RATIOS = {"moe": 0.95}
#: Largest relative error (root mean squares) of any output, if the tolerance does not demand less. Left-out or constant
#: parts of an output are farther away, though each of their elements may be within an absolute tolerance.
LARGEST_ERROR = 0.08
#: Tensors that were read from files, by name.
STORED = {}
#: Workload of the input that was generated last.
LAST = []


def generate_input(workload, seed, **sizes):
    """Returns the inputs and the output buffers, in the order of the definition."""
    LAST[:] = [workload]
    return (*inputs_of(workload, seed), *(empty(workload, name) for name in OUTPUTS))


def ref_kernel(data):
    """Returns the outputs of the definition's `run`."""
    with torch.no_grad():
        result = definition.run(*data[: len(INPUTS)])
    if isinstance(result, dict):
        result = [result[name] for name in OUTPUTS]
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(results) != len(OUTPUTS):
        raise TypeError(f"run returns {len(results)} outputs, and the definition has {len(OUTPUTS)}")
    tensors = [as_output(value, name) for value, name in zip(results, OUTPUTS)]
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


def check_implementation(data, output):
    """Compares each output with the reference's by the tolerance of the workload."""
    expected = ref_kernel(data)
    for name, got, right in zip(OUTPUTS, listed(output), listed(expected)):
        fault = difference(got, right, tolerance_of(LAST[0]))
        if fault is not None:
            return False, f"output {name}: {fault}"
    return True, ""


def cost(workload, seed=0, **sizes):
    """Outputs are written once. Inputs do not count: a kernel need not read what no index refers to."""
    return {"bytes": max(1, sum(math.prod(shape_of(workload, name)) * bits(name) // 8 for name in OUTPUTS))}


# The documents. The worker that times the reference has Python files only, so they are read where they are needed.


def text_of(name):
    """Returns a file of the problem."""
    return __loader__.get_data(name).decode()


@functools.lru_cache(None)
def definition_document():
    """Returns the definition."""
    return json.loads(text_of("definition.json"))


@functools.lru_cache(None)
def case_of(workload):
    """Returns the resolved axes and stored tensors of a workload."""
    return json.loads(text_of("cases.json"))[workload]



@functools.lru_cache(None)
def document(workload):
    """Returns a workload as Python reads it: `1.0` is a float, and `1` is an integer."""
    line = json.loads(text_of("workloads.jsonl").split("\n")[case_of(workload)["line"]])
    return line["workload"] if case_of(workload)["form"] == "trace" else line


def tensor_named(name):
    """Returns the definition of an input or output."""
    return {**definition_document()["inputs"], **definition_document()["outputs"]}[name]


def shape_of(workload, name):
    """Returns the sizes of a tensor."""
    axes = case_of(workload)["axes"]
    return [axes[axis] if axis in axes else int(axis) for axis in tensor_named(name)["shape"]]


def is_four_bit(name):
    """Whether two elements share a byte."""
    return DTYPES[name].startswith("float4")


def bits(name):
    """Returns the bits of an element."""
    return 4 if is_four_bit(name) else 8 if DTYPES[name] == "bool" else int(re.findall(r"\d+", DTYPES[name])[0])


def dtype_of(name):
    """Returns the PyTorch dtype of a tensor."""
    word = "float4_e2m1fn_x2" if is_four_bit(name) else DTYPES[name]
    dtype = getattr(torch, word, None)
    if dtype is None:
        raise RuntimeError(f"{name} has the dtype {DTYPES[name]}, which PyTorch {torch.__version__} does not have")
    return dtype


def shapes_of(workload, name):
    """Returns the shapes that an input may have in memory. The last axis of elements of four bits counts elements or
    bytes: definitions do not say which."""
    *outer, last = shape = shape_of(workload, name) or [1]
    return [shape, [*outer, -(-last // 2)]] if is_four_bit(name) else [shape_of(workload, name)]


def empty(workload, name):
    """Returns an output buffer. Of elements of four bits, the last axis counts bytes."""
    return torch.empty(shape_of(workload, name), dtype=dtype_of(name), device=DEVICE)


# Inputs


def inputs_of(workload, seed):
    """Returns the inputs in order, from their sources."""
    sources = document(workload)["inputs"]
    draw = RandomInputs(seed, DEVICE)
    custom = {}
    if any(kind(source) == "custom" for source in sources.values()):
        custom = custom_inputs(workload, sources, seed)
    made = []
    for name in INPUTS:
        source = sources.get(name, {})
        if kind(source) == "scalar":
            made.append(source["value"])
        elif kind(source) == "custom":
            made.append(custom_input(workload, name, custom))
        elif kind(source) == "safetensors":
            value = stored(workload, name)
            made.append(value.item() if tensor_named(name)["shape"] is None else value.clone())
        elif tensor_named(name)["shape"] is None:
            made.append(scalar(workload, name))
        else:
            made.append(drawn(workload, name, draw))
    return made


def kind(source):
    """Returns the type of a source, which its keys tell if it is not written."""
    if "type" in source:
        return source["type"]
    return "scalar" if "value" in source else "safetensors" if "path" in source else "random"


def custom_inputs(workload, sources, seed):
    """Calls the definition's function, which draws from the global generators."""
    torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    scalars = {name: source["value"] for name, source in sources.items() if kind(source) == "scalar"}
    function = getattr(definition, definition_document()["custom_inputs_entrypoint"])
    with torch.no_grad():
        return function({**case_of(workload)["axes"], **scalars}, torch.device(DEVICE))


def custom_input(workload, name, custom):
    """Returns an input of the definition's function. Raises TypeError if it is not as the definition says."""
    if name not in custom:
        raise TypeError(f"custom_inputs_entrypoint returns no {name}")
    value = custom[name]
    if tensor_named(name)["shape"] is None:
        return value.item() if isinstance(value, torch.Tensor) else value
    shapes, dtype = shapes_of(workload, name), dtype_of(name)
    if not isinstance(value, torch.Tensor) or list(value.shape) not in shapes or value.dtype != dtype:
        raise TypeError(f"custom_inputs_entrypoint returns a {name} that is no tensor of {dtype} with the shape {shapes[0]}")
    return value.to(DEVICE)


def stored(workload, name):
    """Returns a tensor of a safetensors file."""
    if (workload, name) not in STORED:
        content = bytearray(base64.b64decode(text_of(case_of(workload)["tensors"][name])))
        raw = torch.frombuffer(content, dtype=torch.uint8) if content else torch.empty(0, dtype=torch.uint8)
        values = raw.view(dtype_of(name))
        shapes = [[]] if tensor_named(name)["shape"] is None else shapes_of(workload, name)
        (shape,) = [one for one in shapes if math.prod(one) == values.numel()]
        STORED[workload, name] = values.reshape(shape).to(DEVICE)
    return STORED[workload, name]


def scalar(workload, name):
    """Returns a random scalar, the same in all calls: a submission sees plain values before the clock starts."""
    digest = hashlib.sha256(f"{workload}/{name}".encode()).digest()
    draw = random.Random(digest)
    if DTYPES[name] == "bool":
        return draw.random() < 0.5
    return draw.randrange(-1024, 1024) if DTYPES[name].startswith("int") else draw.gauss(0, 1)


def drawn(workload, name, draw):
    """Returns a random tensor."""
    shape, dtype = shape_of(workload, name), dtype_of(name)
    word = DTYPES[name]
    if word == "bool":
        return draw.integers(0, 2, *shape).to(torch.bool)
    if word == "int8":
        return draw.bytes(*shape).view(torch.int8)
    if word.startswith("int"):
        return draw.integers(-1024, 1024, *shape, dtype=dtype)
    if word.startswith("float8"):
        return draw.normal(*shape).clamp_(-2, 2).to(dtype)
    if is_four_bit(name):
        return packed(draw.normal(*shape)).view(dtype)
    if name == "probs" and definition_document().get("op_type") == "sampling":
        return draw.normal(*shape).softmax(-1).to(dtype)
    return usual(workload, name, shape, draw).to(dtype)


def packed(values):
    """Returns values rounded to the 16 numbers of E2M1, two neighbours of the last axis in a byte, the first one low."""
    borders = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0], device=values.device)
    codes = torch.bucketize(values.abs(), borders) + 8 * (values < 0)
    if codes.shape[-1] % 2:
        codes = torch.nn.functional.pad(codes, (0, 1))
    return (codes[..., ::2] + 16 * codes[..., 1::2]).to(torch.uint8)


def usual(workload, name, shape, draw):
    """Returns floating-point values. Where workloads are not traces, names and descriptions tell the distribution."""
    if case_of(workload)["form"] == "trace":
        return draw.normal(*shape)
    about = (tensor_named(name).get("description") or "").lower()
    if re.search(r"(^|_)(layer)?norm\d*_weight$|layernorm\d*_weight$", name):
        # Constant elsewhere, so that a kernel which ignores it would pass.
        return draw.normal(*shape).mul_(0.1).add_(1)
    if re.search(r"(^|_)(layer)?norm\d*_bias$|layernorm\d*_bias$", name):
        return draw.normal(*shape).mul_(0.1)
    is_square = len(shape) >= 2 and shape[-1] == shape[-2]
    if is_square and (name in ("attention_mask", "causal_mask") or "causal" in about and "mask" in about):
        return torch.full(shape, torch.finfo(dtype_of(name)).min, device=DEVICE).triu(1)
    if name in ("x_mask", "text_mask", "aspect_ratio_mask", "drop_mask", "attention_mask") or (
        name.endswith("_mask") and "binary" in about
    ):
        return draw.integers(0, 2, *shape).to(torch.float32)
    if name in ("cos", "cos_cached", "rope_cos"):
        return draw.normal(*shape).clamp_(-math.pi, math.pi).cos_()
    if name in ("sin", "sin_cached", "rope_sin"):
        return draw.normal(*shape).clamp_(-math.pi, math.pi).sin_()
    if re.search(r"(^|_)(rstd|std|variance|var)$", name):
        return draw.normal(*shape).abs_().add_(0.1)
    if name == "A":
        return draw.uniform(*shape).mul_(0.999).sub_(1)
    if name == "A_log":
        return draw.uniform(*shape).mul_(4).sub_(5)
    if name == "A_cumsum":
        return draw.uniform(*shape).mul_(0.1).sub_(0.1).cumsum(-1)
    if name == "g":
        return draw.uniform(*shape).mul_(5).sub_(5)
    if name in ("attn_weights", "attention_weights", "routing_weights") or "output of softmax" in about:
        return draw.normal(*shape).softmax(-1)
    is_weight = name == "weight" or re.search(r"_(weights?|projs?|proj_weights?|weight_matrix)$", name)
    if is_weight and len(shape) >= 2:
        return draw.normal(*shape).div_(math.sqrt(shape[-1]))
    return draw.normal(*shape)


# Comparison


def listed(value):
    """Returns one or several outputs as a list."""
    return list(value) if isinstance(value, (tuple, list)) else [value]


def as_output(value, name):
    """Returns an output as a tensor of the declared dtype."""
    if not isinstance(value, torch.Tensor):
        value = torch.tensor(value, device=DEVICE)
    return value.to(dtype_of(name))


def tolerance_of(workload):
    """Returns the tolerance of a workload; `either` means that one of the two bounds suffices."""
    given = document(workload).get("tolerance")
    if given is None and case_of(workload)["form"] == "trace":
        ratio = RATIOS.get(definition_document().get("op_type"), 1.0)
        return {"atol": 0.01, "rtol": 0.01, "ratio": ratio, "cap": None, "negative_inf": False, "either": True}
    given = given or {}
    return {
        "atol": given.get("max_atol", 0.01),
        "rtol": given.get("max_rtol", 0.01),
        "ratio": given.get("required_matched_ratio", 0.99),
        "cap": given.get("max_error_cap"),
        "negative_inf": given.get("allow_negative_inf", False),
        "either": False,
    }


def difference(got, expected, tolerance):
    """Returns why an output is incorrect, or None."""
    if got.shape != expected.shape:
        return f"the shape is {list(got.shape)}, and the reference's is {list(expected.shape)}"
    if got.numel() == 0:
        return None
    if got.dtype == torch.bool or "float4" in str(got.dtype):
        # A kernel can write any byte into a boolean.
        got, expected = got.view(torch.uint8), expected.view(torch.uint8)
    if not got.is_floating_point():
        return by_share(got != expected, tolerance["ratio"], "equal")
    wide = torch.float64 if got.dtype == torch.float64 else torch.float32
    one, other = got.to(wide).reshape(-1), expected.to(wide).reshape(-1)
    if tolerance["negative_inf"]:
        both = (one == -math.inf) & (other == -math.inf)
        one, other = one[~both], other[~both]
    if not one.isfinite().all():
        return "it has NaN or infinity"
    if not other.isfinite().all():
        return "the reference has NaN or infinity, which the tolerance does not allow"
    if one.numel() == 0:
        return None
    if not one.any() and other.any():
        return "all elements are 0"
    return differing(one, other, tolerance)


def differing(one, other, tolerance):
    """Returns why finite floating-point elements are incorrect, or None."""
    error = (one - other).abs()
    atol, rtol, ratio = tolerance["atol"], tolerance["rtol"], tolerance["ratio"]
    if tolerance["either"]:
        wrong = (error > atol) & (error / (other.abs() + 1e-8) > rtol)
    else:
        wrong = error > atol + rtol * other.abs()
    fault = by_share(wrong, ratio, f"within the tolerance; the largest error is {float(error.max()):.4g}")
    if fault is not None:
        return fault
    if tolerance["cap"] is not None and float(error.max()) > tolerance["cap"]:
        return f"the largest error is {float(error.max()):.4g}, more than {tolerance['cap']}"
    # The root mean square of the error that leaving out the elements that may differ would cause.
    limit = max(LARGEST_ERROR, 2 * rtol, 0.8 * math.sqrt(max(0.0, 1 - ratio)))
    largest = limit * float(rms(other)) + 1e-3 * atol
    if float(rms(error)) > largest:
        return f"the root mean square of its errors is {float(rms(error)):.4g}, more than {largest:.4g}"
    return None


def rms(values):
    """Returns the root mean square."""
    return values.double().square().mean().sqrt()


def by_share(wrong, ratio, how):
    """Returns why too many elements are incorrect, or None."""
    right = 1 - float(wrong.count_nonzero()) / wrong.numel()
    return None if right >= ratio else f"{100 * right:.4g} % of the elements are {how}; at least {100 * ratio:g} % must be"
