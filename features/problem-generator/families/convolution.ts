import { Builder } from "../builder.ts";
import { element, type Program, type Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawImages, largest } from "../sizes.ts";
import { drawUnary } from "../unary.ts";

/** Convolutions of images with a bias and activations. */
export function convolution(random: Random): Program {
  const builder = new Builder("float32", 0.4);
  const kernel = random.choice([1, 3, 5]);
  const stride = random.choice([1, 1, 2]);
  const padding = (kernel - 1) / 2;
  const taps = kernel > 1 ? `channels * ${kernel * kernel}` : "channels";
  const x = builder.input("x", ["batch", "channels", "height", "width"], ["p", "c", "i", "j"], "normal", {
    // A stride leaves elements out if the kernel is smaller.
    partlyRead: kernel < stride,
  });
  const w = builder.input("w", ["filters", "channels", String(kernel), String(kernel)], ["f", "c", "a", "b"], {
    deviation: `(${taps}) ** -0.5`,
    words: `1 / sqrt(${taps})`,
  });
  const at = (index: string, offset: string): string =>
    `${stride > 1 ? `${stride} * ` : ""}${index}${kernel > 1 ? ` + ${offset} - ${padding}` : ""}`;
  const over = kernel > 1 ? "c, a, b" : "c";
  const tap = kernel > 1 ? element(w) : "w[f, c, 0, 0]";
  const sized = (size: string): string => (stride > 1 ? `(${size} - 1) // ${stride} + 1` : size);
  let value = builder.step(`conv${kernel}x${kernel}${stride > 1 ? `s${stride}` : ""}`, {
    code: `F.conv2d(x, w, stride=${stride}, padding=${padding})`,
    definition: `sum over ${over} of x[p, c, ${at("i", "a")}, ${at("j", "b")}] * ${tap}${kernel > 1 ? ", where x is 0 outside" : ""}`,
    like: x,
    ns: 0,
    shape: ["batch", "filters", sized("height"), sized("width")],
    index: ["p", "f", "i", "j"],
  });
  if (random.chance(60)) value = channelBias(builder, value);
  for (let count = random.integer(0, 2); count > 0; count -= 1) value = drawUnary(random, builder, value);
  const cases = drawImages(random, {
    withFilters: true,
    // About 10 operations per nanosecond, two for each product, and 3 ns for each element that is read or written.
    imageNs: ({ channels = 1, filters = 1, height = 1, width = 1 }) => {
      const outputs = (filters * height * width) / stride ** 2;
      return (outputs * channels * kernel ** 2) / 5 + 3 * (outputs + channels * height * width);
    },
  });
  const terms = largest(cases, ({ channels = 1 }) => channels * kernel * kernel);
  return builder.finish({ y: value }, { cases, terms, split: "batch" });
}

function channelBias(builder: Builder, value: Value): Value {
  const bias = builder.input("b", ["filters"], ["f"]);
  return builder.step("bias", {
    code: `${value.name} + b[:, None, None]`,
    definition: `${element(value)} + ${element(bias)}`,
    like: value,
    ns: 0.5,
  });
}

/** Pooling of images, with operations on each element before and after. */
export function pooling(random: Random): Program {
  const builder = new Builder("float32", 0.35);
  const kind = random.choice(["max", "avg"] as const);
  const size = random.choice([2, 3]);
  const x = builder.input("x", ["batch", "channels", "height", "width"], ["p", "c", "i", "j"]);
  const before = random.chance(60) ? drawUnary(random, builder, x) : x;
  const over = `a, b < ${size} of ${before.name}[p, c, ${size} * i + a, ${size} * j + b]`;
  let value = builder.step(`${kind}pool${size}`, {
    code: `F.${kind}_pool2d(${before.name}, ${size})`,
    definition: kind === "max" ? `max over ${over}` : `mean over ${over}`,
    like: before,
    ns: 3,
    shape: ["batch", "channels", `height // ${size}`, `width // ${size}`],
    index: ["p", "c", "i", "j"],
    positive: before.positive,
  });
  if (random.chance(40)) {
    const scale = builder.input("s", ["channels"], ["c"], "around one");
    value = builder.step("scale", {
      code: `${value.name} * s[:, None, None]`,
      definition: `${element(value)} * ${element(scale)}`,
      like: value,
      ns: 0.5,
      positive: false,
    });
  }
  const y = random.chance(60) ? drawUnary(random, builder, value) : value;
  const cases = drawImages(random, {
    withFilters: false,
    imageNs: ({ channels = 1, height = 1, width = 1 }) => channels * height * width * builder.nsPerElement,
  });
  return builder.finish({ y }, { cases, terms: size * size, split: "batch" });
}
