/** An evaluation session of an agent, whose transcript is attached to a submission. */
import { EvaluationRequest, type EvaluationLevel } from "@kernelbot/core";
import { createEvaluation } from "@kernelbot/server/src/evaluations/create.ts";
import { DEFAULT_EVALUATION_LIMITS } from "@kernelbot/server/src/evaluations/limits.ts";
import { attachTranscript } from "@kernelbot/server/src/evaluations/sessions/attach.ts";
import { addNote } from "@kernelbot/server/src/evaluations/sessions/notes.ts";
import { openSession } from "@kernelbot/server/src/evaluations/sessions/sessions.ts";
import type { Act } from "./history.ts";
import { during } from "./moments.ts";
import { PARTICIPANTS, type Participant } from "./people.ts";
import { actor, claimNext, reportEvents, verdictOf, type Stage } from "./perform.ts";
import { version } from "./sources.ts";

const MINUTE_MS = 60_000;
const WHO = "jvermeer";
const WHERE = { board: "vectoradd", targets: ["H100"] };

type Step = { note: string } | { level: EvaluationLevel; salt: number; outcome: Act["outcome"]; efficiency: number };

const STEPS: readonly Step[] = [
  { note: "Plan: one Triton kernel with **vectorised** loads.\nThen tune the block size, from 256 to 4096." },
  { level: "test", salt: 21, outcome: "compile_error", efficiency: 0 },
  { level: "test", salt: 22, outcome: "wrong_result", efficiency: 0 },
  { level: "reward", salt: 23, outcome: "passed", efficiency: 0.31 },
  { level: "reward", salt: 24, outcome: "passed", efficiency: 0.44 },
  { note: "A block of 1024 is better. Now two elements per thread." },
  { level: "reward", salt: 25, outcome: "passed", efficiency: 0.41 },
  { level: "reward", salt: 26, outcome: "infra", efficiency: 0 },
  { level: "reward", salt: 27, outcome: "passed", efficiency: 0.62 },
];

/** Attaches the transcript of a session of half an hour to a submission of the participant. */
export async function withTranscript(stage: Stage, submission: number, submittedAt: Date): Promise<void> {
  const { database } = stage;
  const identity = actor(stage, WHO);
  const [problem, target] = [WHERE.board, "H100"];
  const at = (minute: number) => new Date(submittedAt.getTime() - (35 - minute) * MINUTE_MS);
  const budget = { problem, target, maxEvaluations: 20, maxSeconds: 7 * 24 * 3600 };
  const { id: session } = await during(database, at(0), () => openSession(database, identity, budget));
  for (const [index, step] of STEPS.entries()) {
    await during(database, at(1 + 3 * index), async () => {
      if ("note" in step) {
        await addNote(database, identity, session, { text: step.note });
        return;
      }
      const { source } = version(problem, target, 2, step.salt);
      const request = EvaluationRequest.parse({ problem, target, code: source, level: step.level, session });
      await createEvaluation(database, identity, request, { limits: DEFAULT_EVALUATION_LIMITS });
      await judge(stage, step);
    });
  }
  await attachTranscript(database, identity, submission, session);
}

/** Judges the queued evaluation; the third platform failure ends it. */
async function judge(stage: Stage, { outcome, efficiency }: Exclude<Step, { note: string }>): Promise<void> {
  const who = PARTICIPANTS.find(({ name }) => name === WHO) as Participant;
  const request: Act["request"] = { ...WHERE, mode: "test", fileName: "submission.py", source: "" };
  for (let run = await claimNext(stage, "H100"); run !== null; run = await claimNext(stage, "H100")) {
    await reportEvents(stage, run, verdictOf(stage, run, { who, at: new Date(), outcome, efficiency, request }));
  }
}
