#!/usr/bin/env node
/** `kernelbot`: submit kernels, watch them run, read boards, judge locally. */
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// Halves the start of a command: of what is loaded from here on, the compiled code is kept. The cache is in the user's own
// directory, where nobody else can put code.
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kernelbot"));

await import("./kernelbot.ts");
