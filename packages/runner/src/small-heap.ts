/**
 * Keeps V8's young generation small. While the modules are loaded it would grow to 16 MB, which a runner that waits would
 * keep. Imported before all others.
 */
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--semi-space-growth-factor=1");
