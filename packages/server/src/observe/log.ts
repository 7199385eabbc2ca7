/** The operator's log: JSON lines with the ids of the request, submissions and runs. */
import { pino, type DestinationStream, type Logger } from "pino";
import { onMilestone } from "./milestones.ts";
import { aboutRequest } from "./request.ts";

/** Field names whose values are hidden at any depth up to two. */
const SECRETS = ["authorization", "cookie", "token", "secret", "password", "secretAccessKey", "clientSecret"];

export function openLog(level: string, destination: DestinationStream): Logger {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino({ level, mixin: aboutRequest, redact: { paths, censor: "(hidden)" } }, destination);
}

/** Starts logging milestones; returns a function that stops it. */
export function logMilestones(log: Logger): () => void {
  return onMilestone(({ type, ...about }) => {
    if (type === "queue_read") log.trace(about, type);
    else if (type === "job_failed" || type === "retried") log.warn(about, type);
    else log.info(about, type);
  });
}
