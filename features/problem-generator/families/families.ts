/** The families of generated problems, in the order in which they take turns. */
import type { Program } from "../program.ts";
import type { Random } from "../random.ts";
import { convolution, pooling } from "./convolution.ts";
import { elementwise } from "./elementwise.ts";
import { gather } from "./gather.ts";
import { integer } from "./integer.ts";
import { layout } from "./layout.ts";
import { loss } from "./loss.ts";
import { batchedMatmul, matmul } from "./matmul.ts";
import { normalisation } from "./normalisation.ts";
import { pair } from "./pair.ts";
import { reduction } from "./reduction.ts";
import { scan } from "./scan.ts";

export const FAMILIES: readonly ((random: Random) => Program)[] = [
  elementwise,
  matmul,
  reduction,
  normalisation,
  layout,
  scan,
  gather,
  loss,
  batchedMatmul,
  pair,
  convolution,
  integer,
  pooling,
];
