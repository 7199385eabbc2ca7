/** Last line of defence against an error that no code handles, which would end the process at once. */
import type { Logger } from "pino";

/**
 * Logs an unhandled error, and resolves `crashed`, at which the server shuts down in order: it answers the requests in
 * progress and stops its database. The exit code is 1, so that a supervisor starts the server again.
 */
export function catchCrashes(log: Pick<Logger, "fatal">): Promise<undefined> {
  const { promise: crashed, resolve } = Promise.withResolvers<undefined>();
  process.on("uncaughtException", (err, origin) => {
    // An event also for rejected promises without a handler.
    log.fatal({ err, origin }, "unhandled error; the server shuts down");
    process.exitCode = 1;
    resolve(undefined);
  });
  return crashed;
}
