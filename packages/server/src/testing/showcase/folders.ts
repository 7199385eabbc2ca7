import { resolve } from "node:path";

/** The problem sets that ship with KernelBot. */
export const PROBLEM_SETS = resolve(import.meta.dirname, "../../../../../problems");
