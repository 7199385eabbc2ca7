/** The competitions of the showcase: running, ended with public sources, closed, and upcoming. */
import { CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { claimInvite, createInvites, revokeInvite } from "@kernelbot/server/src/competitions/invites.ts";
import { joinTeam, createTeam } from "@kernelbot/server/src/competitions/teams.ts";
import { LICENSED, MEMBERS } from "./history.ts";
import { during } from "./moments.ts";
import { actor, type Stage } from "./perform.ts";

export const RUNNING = "winter-sprint";
export const ENDED = "autumn-open";
export const CLOSED = "university-lab";
export const UPCOMING = "spring-preview";

const DAY_MS = 86_400_000;
/** Members of the closed competition, the last of whom has not submitted. */
export const STUDENTS = [...MEMBERS, "jvermeer"];
const BASE = { visibility: "public", codeVisibility: "after_end", licence: null, teamSize: 1 } as const;

/**
 * Creates the competitions before anything is submitted. None has ended yet, because ended ones accept no submissions.
 */
export async function openCompetitions(stage: Stage, now: Date): Promise<void> {
  const { database, cast } = stage;
  const day = (days: number): string => new Date(now.getTime() + days * DAY_MS).toISOString();
  const competitions = [
    {
      ...BASE,
      name: RUNNING,
      title: "Winter sprint",
      description: `Three kernels, one machine each, and three weeks.

Teams of up to three. Final entries are **rerun on fresh seeds**, and the second runtime counts. Kernels are
published under CC BY 4.0 after the sprint.

- The best team on each board writes a page about its kernel.
- Ask questions in the public forum.`,
      startsAt: day(-20),
      endsAt: day(9.3),
      licence: "CC-BY-4.0",
      teamSize: 3,
      problems: [...LICENSED],
    },
    {
      ...BASE,
      name: ENDED,
      title: "Autumn open",
      description: "Reductions and sorts on an H100. The competition has ended; the source of every entry is public.",
      startsAt: day(-92),
      endsAt: day(1),
      problems: ["sort", "vectorsum"],
    },
    {
      ...BASE,
      name: CLOSED,
      title: "GPU programming laboratory, winter term: convolution on the university’s own processors",
      description: "Exercise 7. Submit by Friday; the authors of the ten fastest kernels present them.",
      visibility: "closed",
      codeVisibility: "never",
      startsAt: day(-30),
      endsAt: day(12),
      freezeAt: day(-6),
      revealAt: day(13),
      limits: { rankedPerHour: 12, testPerHour: 60 },
      problems: [{ name: "conv2d", endsAt: day(11), limits: { rankedPerHour: 6, rankedConcurrent: 2 } }],
    },
    {
      ...BASE,
      name: UPCOMING,
      title: "Spring preview",
      description: "Attention, at last. Problems are published at the start.",
      startsAt: day(34),
      endsAt: day(62),
      problems: [],
    },
  ];
  await during(database, new Date(now.getTime() - 95 * DAY_MS), async () => {
    for (const competition of competitions) {
      await createCompetition(database, cast.organiser, CompetitionSpec.parse(competition));
    }
  });
  await during(database, new Date(now.getTime() - 28 * DAY_MS), () => invited(stage));
  await during(database, new Date(now.getTime() - 19.5 * DAY_MS), () => teams(stage));
}

/** Ends the autumn competition; its submissions are kept. */
export async function endAutumn({ database }: Stage, now: Date): Promise<void> {
  await database.db
    .updateTable("competition")
    .set({ ends_at: new Date(now.getTime() - 40 * DAY_MS) })
    .where("name", "=", ENDED)
    .execute();
}

async function invited(stage: Stage): Promise<void> {
  const { database, cast } = stage;
  const { codes } = await createInvites(database, cast.organiser, { competitions: [CLOSED], count: 12 });
  for (const [at, name] of STUDENTS.entries()) await claimInvite(database, actor(stage, name), codes[at] ?? "");
  await revokeInvite(database, cast.organiser, codes.at(-1) ?? "");
}

const TEAMS: Record<string, readonly string[]> = {
  "Coalesced & co.": ["Sofia Lindqvist", "Émile Laurent", "Noor Haddad"],
  "Warp Nine": ["Rajesh Iyer", "Priya Raman"],
  "The Quite Unnecessarily Long Team Name": ["Mariana Castellanos-Quintero de Oliveira", "Samir B."],
  夜猫子: ["wei.zhang", "Hồng Nhung"],
};

async function teams(stage: Stage): Promise<void> {
  for (const [name, [first = "", ...others]] of Object.entries(TEAMS)) {
    const { code } = await createTeam(stage.database, actor(stage, first), RUNNING, name);
    for (const other of others) await joinTeam(stage.database, actor(stage, other), RUNNING, code ?? "");
  }
}
