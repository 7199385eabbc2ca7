/**
 * The file of a competition in a tree of problems, of either format: ours (`competition-file.ts`), or that of existing
 * repositories, which names directories and gives each problem a deadline:
 *
 *     name: AMD Developer Challenge
 *     deadline: ""
 *     problems:
 *       - { directory: amd/fp8-mm, name: amd-fp8-mm, deadline: "2025-09-02", gpus: [MI300] }
 */
import { z } from "zod";
import { parseCompetition } from "./competition-file.ts";
import type { CompetitionSpec } from "./competition.ts";
import { KernelBotError } from "./errors.ts";
import { ProblemName, TargetName } from "./problem-spec.ts";
import { parseYaml } from "./yaml.ts";

/** A problem that a file of the existing format names. */
export interface NamedDirectory {
  /** Relative to the root of the problems. */
  directory: string;
  /** Under which it is known, whatever its directory is called. */
  name: string;
  /** In place of those of its `task.yml`. */
  gpus: string[] | null;
}

export interface CompetitionSource {
  /** Empty for our own format, which names problems and not directories. */
  directories: NamedDirectory[];
  /**
   * What the file says. The existing format knows no start: `opensAt` is asked for the moment, in milliseconds, by the
   * earliest end that it names.
   */
  spec: (opensAt: (firstEnd: number) => number) => CompetitionSpec;
  /** Whether the file says all of a competition, or leaves to its organisers who may see it and the like. */
  isWhole: boolean;
}

/** A day, or a minute of it, in UTC; gives ISO 8601. */
const Deadline = z.string({ error: ({ input }) => wrongDeadline(input) }).transform((text, context) => {
  const moment = momentOf(text);
  if (moment !== null) return moment;
  context.addIssue({ code: "custom", message: wrongDeadline(text) });
  return z.NEVER;
});

function wrongDeadline(input: unknown): string {
  const example = "YYYY-MM-DD or YYYY-MM-DD HH:MM, in UTC";
  if (input === undefined || input === "") return `it is missing; write ${example}`;
  const said = typeof input === "string" ? JSON.stringify(input.slice(0, 40)) : "this";
  return `${said} is no date; write ${example}`;
}

function momentOf(text: string): string | null {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}))?$/.exec(text);
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = parts.slice(1).map((part) => Number(part || 0));
  const moment = new Date(Date.UTC(year, month - 1, day, hour, minute));
  const said = [moment.getUTCFullYear(), moment.getUTCMonth() + 1, moment.getUTCDate()];
  const isThatDay = said.join() === [year, month, day].join() && hour < 24 && minute < 60 && moment.getTime() > 0;
  return isThatDay ? moment.toISOString() : null;
}

const Existing = z.strictObject({
  name: z.string().trim().min(1, "give it a name").max(200, "use at most 200 characters"),
  description: z.string().max(100_000).nullish(),
  /** That of each problem rules; this one is only checked. */
  deadline: z.union([z.literal(""), Deadline]).nullish(),
  problems: z
    .array(
      z.strictObject({
        directory: z.string().min(1).max(300),
        name: ProblemName,
        deadline: Deadline,
        gpus: z.array(TargetName).min(1, "name a device, or leave it out").nullish(),
      }),
    )
    .min(1, "name a problem")
    .max(1000, "name at most 1000"),
});

/** A file with one of these keys is a competition's, so that a misspelt other key is refused instead of the file ignored. */
const OWN_KEYS = [
  "problems",
  "starts_at",
  "ends_at",
  "visibility",
  "participants",
  "freeze_at",
  "code_visibility",
  "team_size",
];

/**
 * What a YAML file at the root of a tree says; null where it is no competition's.
 * @param stem The file's name without its ending: in the existing format the name of the competition.
 * @throws KernelBotError `unprocessable` that names the key and what is wrong with it.
 */
export function readCompetitionSource(stem: string, text: string): CompetitionSource | null {
  const yaml = parsed(text);
  if (yaml === null || typeof yaml !== "object" || Array.isArray(yaml)) return null;
  if (!OWN_KEYS.some((key) => key in yaml)) return null;
  if (!namesDirectories(yaml)) {
    const spec = parseCompetition(text);
    return { directories: [], spec: () => spec, isWhole: true };
  }
  const existing = Existing.safeParse(yaml);
  if (!existing.success) {
    const issues = existing.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new KernelBotError("unprocessable", issues.map((issue) => issue.replace(/^: /, "")).join("; "));
  }
  return existingSource(stem, existing.data);
}

function parsed(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new KernelBotError("unprocessable", `it is not YAML: ${why}`, { cause: error });
  }
}

function namesDirectories(yaml: object): boolean {
  const problems = "problems" in yaml ? yaml.problems : null;
  const isEntry = (entry: unknown) => entry !== null && typeof entry === "object" && "directory" in entry;
  return Array.isArray(problems) && problems.some(isEntry);
}

function existingSource(stem: string, { name, description, problems }: z.infer<typeof Existing>): CompetitionSource {
  const ends = problems.map(({ deadline }) => Date.parse(deadline));
  const end = Math.max(...ends);
  return {
    directories: problems.map(({ directory, name, gpus }) => ({
      directory: directory.replace(/^\.\//, "").replace(/\/+$/, ""),
      ...{ name, gpus: gpus ?? null },
    })),
    isWhole: false,
    spec: (opensAt) => ({
      name: competitionName(stem),
      title: name,
      description: description ?? "",
      startsAt: new Date(opensAt(Math.min(...ends))).toISOString(),
      endsAt: new Date(end).toISOString(),
      ...{ visibility: "public", freezeAt: null, revealAt: null, participants: "everyone", limits: {} },
      ...{ codeVisibility: "after_end", licence: null, teamSize: 1, targets: null },
      problems: problems.map(({ name, deadline }) => ({
        ...{ name, targets: null },
        endsAt: Date.parse(deadline) === end ? null : deadline,
      })),
    }),
  };
}

/** A file's name as it may stand in addresses. */
function competitionName(stem: string): string {
  const name = stem
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+|-+$/g, "");
  return name.slice(0, 95) || "competition";
}
