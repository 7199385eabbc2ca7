/** For tiers with a process for each test file: their databases go to the next file's process. */
import { afterAll } from "vitest";
import { shareKept } from "./pool.ts";

afterAll(shareKept);
