/**
 * Loaded into a local runner: asks it to end once the server that started it has, so that a killed server leaves no
 * runner behind that would compete with the next server's. The run under way is still finished and reported.
 */
process.stdin.once("close", () => process.kill(process.pid, "SIGTERM")).resume();
// Watching must not keep a runner alive that is done.
if ("unref" in process.stdin) process.stdin.unref();

// Nobody reads what it says after that; to be told so would end it in the middle of its run.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
