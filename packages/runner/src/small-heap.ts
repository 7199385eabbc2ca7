/**
 * Makes V8 prefer a small heap to speed: a runner mostly waits, and would keep what it needed to load its modules. Imported
 * before all others.
 */
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--optimize-for-size");
