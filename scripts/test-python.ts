/** Runs the tester's own tests with the interpreter that the tester uses. */
import { spawnSync } from "node:child_process";
import { findPython } from "@kernelbot/tester";

const { path } = await findPython();
console.log(`tester tests with ${path}`);
const { status } = spawnSync(path, ["-m", "unittest", "discover", "-s", "tester/tests", "-v"], {
  cwd: new URL("..", import.meta.url),
  stdio: "inherit",
});
process.exit(status ?? 1);
