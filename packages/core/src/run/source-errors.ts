/** Lines of a submission that a compiler's log or a traceback refers to. */
import { sanitize } from "../text/text.ts";

export interface SourceError {
  /** Line of the submission, counted from 1. */
  line: number;
  /** Message of the compiler; null for a line of a traceback, whose exception is the message of the run. */
  message: string | null;
}

/** Maximum number of errors: the first ones are the cause of the others. */
const MAX_ERRORS = 5;
/** Longer lines of a log are cut before they are read. */
const MAX_LINE = 400;

/** `submission.cpp:31:34: error: …` (GCC, Clang) and `submission.cu(31): error: …` (nvcc). */
const COMPILER = /(?:^|\/)submission\.\w{1,4}[:(](\d{1,7})\b[^a-z]{0,20}(?:fatal )?error:? (.*)$/;
/** `File "submission.py", line 31, in custom_kernel` (Python). */
const FRAME = /^ *File "(?:[^"]*\/)?submission\.\w{1,4}", line (\d{1,7})/;

/**
 * Returns the errors of a compiler's log, or the innermost line of the submission in a traceback. The text is untrusted;
 * the messages are cleaned.
 * @example
 * sourceErrors("submission.cpp:31:34: error: ‘n’ was not declared"); // [{ line: 31, message: "‘n’ was not declared" }]
 */
export function sourceErrors(detail: string): SourceError[] {
  const lines = sanitize(detail)
    .split("\n")
    .map((line) => line.slice(0, MAX_LINE));
  const errors = lines.flatMap((line): SourceError[] => {
    const [, at, message = ""] = COMPILER.exec(line) ?? [];
    return at === undefined ? [] : [{ line: Number(at), message }];
  });
  if (errors.length > 0) return errors.slice(0, MAX_ERRORS);
  const frame = lines.map((line) => FRAME.exec(line)?.[1]).findLast((at) => at !== undefined);
  return frame === undefined ? [] : [{ line: Number(frame), message: null }];
}
