#!/usr/bin/env node
/** `kernelbot`: submit kernels, watch them run, read boards, judge locally. */
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// The compile cache halves the startup time of a command: modules imported from here on are cached compiled. The cache
// is in the user's own directory, where no other user can place code. Node.js 20 has no such cache.
if ("enableCompileCache" in module)
  module.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kernelbot"));

await import("./cli.ts");
