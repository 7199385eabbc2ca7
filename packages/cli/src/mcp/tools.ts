/** All tools, in the order in which an agent needs them. A new tool is a file in `tools/` and a line here. */
import type { Tool } from "./tool.ts";
import { cancelSubmission } from "./tools/cancel-submission.ts";
import { compareSubmissions } from "./tools/compare-submissions.ts";
import { evaluate } from "./tools/evaluate.ts";
import { listProblems } from "./tools/list-problems.ts";
import { readBoard } from "./tools/read-board.ts";
import { readProblem } from "./tools/read-problem.ts";
import { addSessionNote, endSession, readSession, startSession } from "./tools/sessions.ts";
import { submit } from "./tools/submit.ts";
import { watchSubmission } from "./tools/watch-submission.ts";

export const TOOLS: readonly Tool[] = [
  listProblems,
  readProblem,
  evaluate,
  startSession,
  addSessionNote,
  readSession,
  endSession,
  submit,
  watchSubmission,
  cancelSubmission,
  compareSubmissions,
  readBoard,
];
