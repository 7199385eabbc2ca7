/**
 * Competitions: problems with dates, and who may see them. What an organiser writes as a file:
 *
 *     name: spring
 *     title: Spring kernels
 *     starts_at: 2026-03-01T12:00:00Z
 *     ends_at: 2026-04-01T12:00:00Z
 *     problems: [vectoradd, matmul]
 */
import { parse } from "yaml";
import { z } from "zod";
import { AccountName } from "./board.ts";
import { Licence } from "./declaration.ts";
import { KernelBotError } from "./errors.ts";
import { ProblemName } from "./problem.ts";

/** As it stands in addresses. */
export const CompetitionName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,94}$/, "use lower-case letters, digits, - and _ (at most 95)");

/** Who finds it: everybody in lists, whoever has the address, or its members alone. */
export const Visibility = z.enum(["public", "unlisted", "closed"]);
export type Visibility = z.infer<typeof Visibility>;

/** When others may read the source of what stands on its boards. */
export const CodeVisibility = z.enum(["after_end", "always", "never"]);
export type CodeVisibility = z.infer<typeof CodeVisibility>;

const Moment = z.iso
  .datetime("use a moment in UTC, such as 2026-03-01T12:00:00Z")
  .refine((moment) => Date.parse(moment) > 0, "use a moment after 1970");

/** Text that a database can store and a page can show: lines, and no other control characters. */
const Text = z.string().regex(/^(?:[^\p{C}]|[\n\r\t\u200c\u200d])*$/u, "use printable characters");

/** What an organiser decides of a competition: the body of its creation and of its change. */
export const CompetitionSpec = z
  .strictObject({
    name: CompetitionName,
    title: Text.trim().min(1, "give it a title").max(200, "use at most 200 characters"),
    description: Text.max(100_000, "use at most 100,000 characters").default(""),
    visibility: Visibility.default("public"),
    /** The first and the last moment of ranked submissions. */
    startsAt: Moment,
    endsAt: Moment,
    codeVisibility: CodeVisibility.default("after_end"),
    /** Under which ranked submissions must be publishable; null where each author decides. */
    licence: Licence.nullable().default(null),
    /** How many may be in a team; 1 where everybody takes part alone. Teams that there are stay as they are. */
    teamSize: z.int("use a whole number").min(1, "use 1 for no teams").max(16, "use at most 16").default(1),
    /** Names of accounts. Left out: who creates it, and nobody else than before when it is changed. */
    organisers: z.array(Text.max(200)).min(1, "name an organiser").max(100, "name at most 100").optional(),
    /** Each problem is in one competition at most; one that is in none is practice, open to all. */
    problems: z.array(ProblemName).max(1000, "name at most 1000").default([]),
  })
  .refine(({ startsAt, endsAt }) => Date.parse(endsAt) > Date.parse(startsAt), {
    path: ["endsAt"],
    message: "a competition ends after it starts",
  });
export type CompetitionSpec = z.infer<typeof CompetitionSpec>;

/** A competition as those see it who may. */
export const Competition = z.object({
  name: CompetitionName,
  title: z.string(),
  description: z.string(),
  visibility: Visibility,
  startsAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
  codeVisibility: CodeVisibility,
  licence: Licence.nullable(),
  /** 1 where there are no teams. */
  teamSize: z.int().positive().default(1),
  organisers: z.array(AccountName),
  /** In order of name. */
  problems: z.array(ProblemName),
});
export type Competition = z.infer<typeof Competition>;

export const CompetitionList = z.object({ competitions: z.array(Competition) });

/** The keys of the file, in the spelling of `task.yml`. */
const KEYS: Readonly<Record<string, string>> = {
  name: "name",
  title: "title",
  description: "description",
  visibility: "visibility",
  starts_at: "startsAt",
  ends_at: "endsAt",
  code_visibility: "codeVisibility",
  licence: "licence",
  team_size: "teamSize",
  organisers: "organisers",
  problems: "problems",
};

/** Reads the file of a competition. @throws KernelBotError `unprocessable` that names what is wrong, and where. */
export function parseCompetition(text: string): CompetitionSpec {
  let yaml: unknown;
  try {
    yaml = parse(text);
  } catch (error) {
    throw broken(`it is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (yaml === null || typeof yaml !== "object" || Array.isArray(yaml)) throw broken("write keys such as name: spring");
  const unknown = Object.keys(yaml).find((key) => !Object.hasOwn(KEYS, key));
  if (unknown !== undefined) throw broken(`there is no key ${unknown}; there are ${Object.keys(KEYS).join(", ")}`);
  const parsed = CompetitionSpec.safeParse(
    Object.fromEntries(Object.entries(yaml).map(([key, value]) => [KEYS[key], value])),
  );
  if (parsed.success) return parsed.data;
  const spelt = (key: PropertyKey) => Object.entries(KEYS).find(([, name]) => name === key)?.[0] ?? String(key);
  throw broken(parsed.error.issues.map(({ path, message }) => `${path.map(spelt).join(".")}: ${message}`).join("; "));
}

function broken(what: string): KernelBotError {
  return new KernelBotError("unprocessable", `the competition cannot be taken: ${what}`);
}

/** Where a competition is in its time. */
export type Phase = "upcoming" | "running" | "ended";

export function phaseOf({ startsAt, endsAt }: Pick<Competition, "startsAt" | "endsAt">, now: Date): Phase {
  if (now.getTime() < Date.parse(startsAt)) return "upcoming";
  return now.getTime() < Date.parse(endsAt) ? "running" : "ended";
}

/** `starts in 3 days`, `5 hours left`, `ended`. */
export function timeLeft(competition: Pick<Competition, "startsAt" | "endsAt">, now: Date): string {
  const phase = phaseOf(competition, now);
  if (phase === "ended") return "ended";
  const until = Date.parse(phase === "upcoming" ? competition.startsAt : competition.endsAt) - now.getTime();
  const [unitMs, unit] = UNITS.find(([ms]) => until >= 2 * ms) ?? LEAST_UNIT;
  const number = Math.max(1, Math.floor(until / unitMs));
  const time = `${number} ${unit}${number === 1 ? "" : "s"}`;
  return phase === "upcoming" ? `starts in ${time}` : `${time} left`;
}

const LEAST_UNIT = [60_000, "minute"] as const;
const UNITS = [[86_400_000, "day"] as const, [3_600_000, "hour"] as const, LEAST_UNIT];
