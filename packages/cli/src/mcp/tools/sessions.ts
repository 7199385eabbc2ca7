/** Tools of evaluation sessions. */
import {
  EvaluationSession,
  EvaluationSessionRequest,
  formatStepOutcome,
  MAX_NOTE_CHARACTERS,
  SpeedupInterval,
} from "@kernelbot/core";
import { z } from "zod";
import { sanitize } from "../../output/text.ts";
import { formatBudget, transcriptLines } from "../../render/transcript.ts";
import { PAGE } from "../page.ts";
import { defineTool } from "../tool.ts";
import { Untrusted, untrusted } from "../untrusted.ts";

const Session = z.strictObject({ session: z.int().positive().describe("Number of the session") });

export const startSession = defineTool({
  name: "start_session",
  title: "Start a session",
  description:
    "Opens a session: a budget of evaluations and time for one problem and target. Pass its number to evaluate, which returns " +
    "what is left, and to submit, which attaches the transcript. Cached evaluations count; platform failures do not.",
  readOnly: false,
  input: EvaluationSessionRequest,
  output: EvaluationSession,
  call: async (input, { client }) => result(await client.sessions.open(input)),
});

export const addSessionNote = defineTool({
  name: "add_session_note",
  title: "Add a note to a session",
  description:
    "Adds a text to the transcript of a session, such as what the next kernel tries and why. Readers of the submission to " +
    "which the transcript is attached see it.",
  readOnly: false,
  input: Session.extend({ text: z.string().min(1).max(MAX_NOTE_CHARACTERS) }),
  output: EvaluationSession,
  call: async ({ session, text }, { client }) => result(await client.sessions.note(session, text)),
});

export const endSession = defineTool({
  name: "end_session",
  title: "End a session",
  description: "Ends a session before its time limit; it accepts no further evaluations and notes.",
  readOnly: false,
  input: Session,
  output: EvaluationSession,
  call: async ({ session }, { client }) => result(await client.sessions.end(session)),
});

const Step = z.object({
  at: z.string(),
  evaluation: z.int().nullable().describe("Null for a note"),
  result: z.string().nullable(),
  passed: z.int().nullable(),
  total: z.int().nullable(),
  speedup: SpeedupInterval.nullable(),
  text: Untrusted.nullable().describe("Feedback of an evaluation, or text of a note"),
});

/** Maximum number of steps, the last ones, and of characters of a text. */
const MAX_STEPS = 50;
const MAX_STEP_TEXT = 500;

export const readSession = defineTool({
  name: "read_session",
  title: "Read a session",
  description: `Returns what is left of a session's budget, and the last ${MAX_STEPS} steps of its transcript.`,
  readOnly: true,
  input: Session,
  output: EvaluationSession.extend({ steps: z.array(Step), stepsLeftOut: z.int() }),
  call: async ({ session: id }, { client }) => {
    const [session, whole] = await Promise.all([client.sessions.get(id), client.sessions.transcript(id)]);
    const transcript = sanitize(whole);
    const shown = transcript.steps.slice(-MAX_STEPS);
    const steps = shown.map((step) => {
      if (step.kind === "note") {
        const none = { evaluation: null, result: null, passed: null, total: null, speedup: null };
        return { at: step.at, ...none, text: untrusted(step.text, MAX_STEP_TEXT) };
      }
      const { at, id, passed, total, speedup, feedback } = step;
      const text = untrusted(feedback, MAX_STEP_TEXT);
      return { at, evaluation: id, result: formatStepOutcome(step), passed, total, speedup, text };
    });
    const stepsLeftOut = transcript.stepsLeftOut + transcript.steps.length - shown.length;
    const text = [...transcriptLines(transcript, PAGE.width, PAGE.style), `${formatBudget(session)}.`].join("\n");
    return { data: { ...session, steps, stepsLeftOut }, text };
  },
});

function result(session: EvaluationSession): { data: EvaluationSession; text: string } {
  const { id, problem, target } = session;
  return { data: session, text: `Session ${id} for ${problem} on ${target}: ${formatBudget(session)}.` };
}
