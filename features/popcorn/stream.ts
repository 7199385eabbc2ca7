/**
 * The client's event stream of a submission: `status` events until it finishes, then one `result` or `error`. Frames
 * end in LF and have one line of ASCII data, because the client decodes each network chunk separately.
 */
import { isFinished, runReport, type RunDetail, type Submission } from "@kernelbot/core";
import type { Services } from "@kernelbot/server/src/services.ts";
import { artifactsOf, fullResult } from "./full-result.ts";
import { finishedRuns } from "./submission.ts";
import { formatProgress } from "./terms.ts";

/** Maximum interval between status events, so that proxies do not close the connection as idle. */
const STATUS_MS = 15_000;

/** Context of a result. */
interface ResultContext {
  /** Origin of the site's pages. */
  origin: string;
  /** The only benchmark case whose files a profile returns; null for all. */
  benchmark: number | null;
}

/** Returns the stream. It ends with the submission, when the server stops, or when the reader disconnects. */
export function resultStream(
  services: Services,
  submission: Submission,
  about: ResultContext,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const frames = readFrames(services, submission.id, about);
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await frames.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        await frames.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* readFrames(services: Services, id: number, about: ResultContext): AsyncGenerator<string, void> {
  const startedAt = Date.now();
  const changes = new Changes(services, id);
  try {
    for (;;) {
      // Started before the read, so that a change during the read is not missed.
      const changed = changes.next(STATUS_MS);
      const submission = (await services.reads.submission(id))?.submission;
      if (submission === undefined) {
        yield frame("error", { status: "error", detail: "Submission not found", status_code: 404 });
        return;
      }
      if (isFinished(submission)) {
        yield await lastFrame(services, submission, about);
        return;
      }
      const elapsed_time = Math.round((Date.now() - startedAt) / 100) / 10;
      yield frame("status", {
        status: "processing",
        elapsed_time,
        message: formatProgress(submission, new Date()),
      });
      await changed;
      if (services.closing.aborted) {
        const detail = `The server is restarting. Submission ${id} continues; show it with: submissions show ${id}.`;
        yield frame("error", { status: "error", detail, status_code: 503 });
        return;
      }
    }
  } finally {
    changes.end();
  }
}

async function lastFrame(
  services: Services,
  submission: Submission,
  { origin, benchmark }: ResultContext,
): Promise<string> {
  const runs = await finishedRuns(services, submission);
  if (runs.some((run) => run.verdict === null)) {
    return frame("error", { status: "error", detail: "Submission cancelled", status_code: 409 });
  }
  const [profile] = runs;
  // For a result without files, the client would save an empty archive and exit with status 0.
  if (profile?.mode === "profile") {
    const failure = profileFailure(profile, benchmark);
    if (failure !== null) return frame("error", { status: "error", detail: failure });
  }
  const link = `${origin}/submissions/${submission.id}`;
  const results = await Promise.all(runs.map((run) => fullResult(services, run, { link, benchmark })));
  return frame("result", { status: "success", results, reports: runs.map(runReport) });
}

/** Returns why a profile has no files; null where it has some. */
function profileFailure(run: RunDetail, benchmark: number | null): string | null {
  if (run.verdict !== "passed") return runReport(run);
  if (artifactsOf(run, benchmark).length > 0) return null;
  const which = benchmark === null ? "" : ` of benchmark ${benchmark}, counted from 0`;
  return `The kernel ran, but its profile has no files${which}.\n\n${runReport(run)}`;
}

function frame(event: string, data: unknown): string {
  const ascii = JSON.stringify(data).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `event: ${event}\ndata: ${ascii}\n\n`;
}

/** Subscription to changes of a submission, awaited with a timeout. */
class Changes {
  readonly #unsubscribe: () => void;
  #wake: () => void = () => undefined;
  readonly #closing: AbortSignal;
  readonly #onClosing = () => this.#wake();

  constructor({ hub, closing }: Services, id: number) {
    this.#unsubscribe = hub.subscribe(`submission ${id}`, () => this.#wake());
    this.#closing = closing;
    closing.addEventListener("abort", this.#onClosing);
  }

  next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#closing.aborted) this.#wake();
    });
  }

  end(): void {
    this.#wake();
    this.#unsubscribe();
    this.#closing.removeEventListener("abort", this.#onClosing);
  }
}
