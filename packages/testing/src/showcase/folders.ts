import { resolve } from "node:path";

/** Folder of the problem sets that ship with KernelBot. */
export const PROBLEM_SETS = resolve(import.meta.dirname, "../../../../problems");
