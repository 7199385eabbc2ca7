/**
 * Preloaded into a local runner: sends it SIGTERM when its server has ended, so that a killed server leaves no runner
 * behind that competes with the next server's. The current run is still finished and reported.
 */
process.stdin.once("close", () => process.kill(process.pid, "SIGTERM")).resume();
// The listener must not keep the process alive.
if ("unref" in process.stdin) process.stdin.unref();

// After the server has ended, writing to these streams fails; without a listener, the error would end the process
// during its run.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
