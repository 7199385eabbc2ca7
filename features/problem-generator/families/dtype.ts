import type { FloatType } from "../program.ts";
import type { Random } from "../random.ts";

/** Draws the floating-point type of a program whose time is that of its memory traffic. */
export function drawFloatType(random: Random): FloatType {
  return random.choice(["float32", "float32", "float32", "float16", "bfloat16"]);
}
