/** Submissions of three months with their outcomes. Deterministic for a given time. */
import type { FailureClass, SubmitRequest } from "@kernelbot/core";
import { randomness } from "../noise.ts";
import { PARTICIPANTS, type Participant } from "./people.ts";
import { version } from "./sources.ts";

export type Outcome = "passed" | "held" | "infra" | FailureClass;

export interface Act {
  who: Participant;
  at: Date;
  request: SubmitRequest;
  outcome: Outcome;
  efficiency: number;
  rivalEfficiency?: number;
}

const DAY_MS = 86_400_000;

/** Activity on a board: from and until some days ago, and its participants, by number or by name. */
interface Season {
  board: string;
  targets: readonly string[];
  from: number;
  until: number;
  entrants: number | readonly string[];
}

/** Members of the closed competition. */
export const MEMBERS = ["Łukasz Świątek", "田中 美咲", "Γιώργος Παπαδόπουλος", "dmitri_v", "Eun-ji Park", "wei.zhang"];

const SEASONS: readonly Season[] = [
  { board: "vectorsum", targets: ["H100"], from: 88, until: 41, entrants: 12 },
  { board: "sort", targets: ["H100", "cpu"], from: 86, until: 41, entrants: 5 },
  { board: "vectoradd", targets: ["cpu"], from: 80, until: 1, entrants: 9 },
  { board: "grayscale", targets: ["H100"], from: 60, until: 2, entrants: 4 },
  { board: "matmul", targets: ["H100"], from: 18, until: 0.1, entrants: 18 },
  { board: "prefixsum", targets: ["H100", "MI300"], from: 17, until: 0.2, entrants: 7 },
  { board: "histogram", targets: ["MI300"], from: 16, until: 0.3, entrants: 5 },
  { board: "conv2d", targets: ["cpu"], from: 24, until: 3, entrants: MEMBERS },
];

/** Boards of the competition that requires a specific licence. */
export const LICENSED: readonly string[] = ["matmul", "prefixsum", "histogram"];

/** Outcomes of failed first submissions. */
const MISHAPS: readonly Outcome[] = ["wrong_result", "compile_error", "crash", "timeout", "out_of_memory", "rejected"];

/** Returns all submissions, ordered by time. */
export function history(now: Date): Act[] {
  const random = randomness(2024);
  const acts = SEASONS.flatMap((season, at) => seasonOf(season, at, now, random));
  return acts.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

function seasonOf(season: Season, at: number, now: Date, random: () => number): Act[] {
  const { entrants } = season;
  const who =
    typeof entrants === "number"
      ? // A different selection of participants on each board; the best two are on all of them.
        Array.from({ length: entrants }, (_, nth) => PARTICIPANTS[nth < 2 ? nth : nth + (at % 3)] as Participant)
      : PARTICIPANTS.filter(({ name }) => entrants.includes(name));
  return who.flatMap((one, nth) => tries(one, season, nth + 7 * at, now, random));
}

/** Returns the submissions of one participant to one board, with improving times and some failures. */
function tries(who: Participant, season: Season, salt: number, now: Date, random: () => number): Act[] {
  const { board, targets, from, until } = season;
  const count = 1 + Math.floor((board === "matmul" ? 4 : 2) * random() * (0.5 + who.skill));
  const start = from - (from - until) * 0.5 * random();
  return Array.from({ length: count }, (_, nth): Act => {
    const done = (nth + 1) / count;
    const daysAgo = start - (start - until) * done * (0.75 + 0.2 * random());
    const mishap = nth === 0 ? salt % 3 === 0 : random() < 0.12;
    const isCompiled = targets.length === 1 && targets[0] === "cpu";
    const outcome = mishap ? (MISHAPS[salt % MISHAPS.length] as Outcome) : "passed";
    const mode = nth === 0 && count > 2 ? (salt % 2 === 0 ? "test" : "benchmark") : "ranked";
    return {
      who,
      at: new Date(now.getTime() - daysAgo * DAY_MS),
      outcome: outcome === "compile_error" && !isCompiled ? "crash" : outcome,
      // The last submission reaches the participant's skill, the first a third of it.
      efficiency: who.skill * (0.3 + 0.68 * done ** 0.7) * (0.97 + 0.05 * random()),
      request: {
        board,
        targets: [...targets],
        mode,
        ...version(board, isCompiled ? "cpu" : "H100", outcome === "compile_error" ? 3 : nth, salt),
        author: who.author,
        ...(who.model !== undefined && { model: who.model }),
        ...(who.licence !== undefined && !LICENSED.includes(board) && { licence: who.licence }),
      },
    };
  });
}
