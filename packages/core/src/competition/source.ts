/**
 * Competition file in a tree of problems, in one of two formats: the native one (`competition-file.ts`), or that of
 * existing repositories, which names directories and gives each problem a deadline:
 *
 *     name: AMD Developer Challenge
 *     deadline: ""
 *     problems:
 *       - { directory: amd/fp8-mm, name: amd-fp8-mm, deadline: "2025-09-02", gpus: [MI300] }
 */
import { z } from "zod";
import { parseCompetition } from "./file.ts";
import type { CompetitionSpec } from "./competition.ts";
import { KernelBotError } from "../errors.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { readYaml, type ParsedYaml } from "../text/yaml.ts";
import { yamlFault } from "../text/yaml-faults.ts";

/** Problem that a file of the existing format names. */
export interface NamedDirectory {
  /** Path relative to the root of the problems. */
  directory: string;
  /** Name of the problem, independent of the directory's name. */
  name: string;
  /** Targets that replace those of its `task.yml`; null keeps them. */
  gpus: string[] | null;
}

export interface CompetitionSource {
  /** Empty for the native format, which names problems instead of directories. */
  directories: NamedDirectory[];
  /**
   * Returns the settings of the competition. The existing format has no start date, so `opensAt` returns the start from
   * the earliest deadline, both in milliseconds since the epoch.
   */
  spec: (opensAt: (firstEnd: number) => number) => CompetitionSpec;
  /** True if the file contains all settings; false if visibility and the like are left to the organisers. */
  isWhole: boolean;
}

/** Date with an optional time, in UTC, converted to ISO 8601. */
const Deadline = z.string({ error: ({ input }) => wrongDeadline(input) }).transform((text, context) => {
  const moment = momentOf(text);
  if (moment !== null) return moment;
  context.addIssue({ code: "custom", message: wrongDeadline(text) });
  return z.NEVER;
});

function wrongDeadline(input: unknown): string {
  const example = "YYYY-MM-DD or YYYY-MM-DD HH:MM, in UTC";
  if (input === undefined || input === "") return `it is missing; write ${example}`;
  const quoted = typeof input === "string" ? JSON.stringify(input.slice(0, 40)) : "this";
  return `${quoted} is not a valid date; write ${example}`;
}

function momentOf(text: string): string | null {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}))?$/.exec(text);
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = parts.slice(1).map((part) => Number(part || 0));
  const moment = new Date(Date.UTC(year, month - 1, day, hour, minute));
  const normalised = [moment.getUTCFullYear(), moment.getUTCMonth() + 1, moment.getUTCDate()];
  const isThatDay = normalised.join() === [year, month, day].join() && hour < 24 && minute < 60 && moment.getTime() > 0;
  return isThatDay ? moment.toISOString() : null;
}

const Existing = z.strictObject({
  name: z.string().trim().min(1, "give it a name").max(200, "use at most 200 characters"),
  description: z.string().max(100_000).nullish(),
  /** Only validated: the deadline of each problem applies. */
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

/**
 * Keys that identify a competition file. With one of them, a misspelt other key is an error instead of the file being
 * ignored.
 */
const OWN_KEYS = [
  "problems",
  "starts_at",
  "ends_at",
  "visibility",
  "participants",
  "names",
  "freeze_at",
  "code_visibility",
  "team_size",
];

/**
 * Reads a YAML file at the root of a tree; returns null if it is not a competition file.
 * @param stem File name without its extension; in the existing format, the name of the competition.
 * @throws KernelBotError `unprocessable`, with the key and the reason.
 */
export function readCompetitionSource(stem: string, text: string): CompetitionSource | null {
  const document = parsed(text);
  const yaml = document.value;
  if (yaml === null || typeof yaml !== "object" || Array.isArray(yaml)) return null;
  if (!OWN_KEYS.some((key) => key in yaml)) return null;
  if (!namesDirectories(yaml)) {
    const spec = parseCompetition(text);
    return { directories: [], spec: () => spec, isWhole: true };
  }
  const existing = Existing.safeParse(yaml);
  if (!existing.success) {
    throw new KernelBotError(
      "unprocessable",
      existing.error.issues.map((issue) => yamlFault(issue, document)).join("; "),
    );
  }
  return existingSource(stem, existing.data);
}

function parsed(text: string): ParsedYaml {
  try {
    return readYaml(text);
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
      ...{
        visibility: "public",
        freezeAt: null,
        revealAt: null,
        participants: "everyone",
        groups: [],
        names: "accounts",
        limits: {},
      },
      ...{ codeVisibility: "after_end", licence: null, teamSize: 1, targets: null },
      problems: problems.map(({ name, deadline }) => ({
        ...{ name, targets: null },
        endsAt: Date.parse(deadline) === end ? null : deadline,
      })),
    }),
  };
}

/** Converts a file name to a valid competition name. */
function competitionName(stem: string): string {
  const name = stem
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+|-+$/g, "");
  return name.slice(0, 95) || "competition";
}
