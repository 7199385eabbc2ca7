/** The operator's log: JSON lines with the numbers of submissions and runs, and the request that brought them about. */
import { pino, type DestinationStream, type Logger } from "pino";
import { onMilestone } from "./milestones.ts";
import { aboutRequest } from "./request.ts";

/** What no line shows, wherever it stands in what is logged. */
const SECRETS = ["authorization", "cookie", "token", "secret", "password", "secretAccessKey", "clientSecret"];

export function openLog(level: string, destination: DestinationStream): Logger {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino({ level, mixin: aboutRequest, redact: { paths, censor: "(hidden)" } }, destination);
}

/** Logs milestones from now on; returns how to end that. */
export function logMilestones(log: Logger): () => void {
  return onMilestone(({ type, ...about }) => {
    if (type === "queue_read") log.trace(about, type);
    else if (type === "chore_failed" || type === "retried") log.warn(about, type);
    else log.info(about, type);
  });
}
