/** The competition form: its initial fields, and the specification made from its input. */
import {
  CompetitionSpec,
  KernelBotError,
  LIMIT_KEYS,
  parseLimits,
  type Competition,
  type Limits,
} from "@kernelbot/core";
import { fieldMoment, fieldsOf, NEW_COMPETITION, type CompetitionFields } from "@kernelbot/web";
import { validated } from "../../http/input.ts";

/** Labels of the form's fields. */
export const LABELS = {
  name: "name",
  title: "title",
  description: "description",
  names: "names on the leaderboards",
  startsAt: "start",
  endsAt: "end",
  freezeAt: "freeze",
  revealAt: "reveal",
  teamSize: "team size",
  organisers: "organisers",
  groups: "groups",
  limits: "limits",
  targets: "targets",
  problems: "problems",
};

/** Returns the fields to display: the submitted input, else the competition's values, else the defaults. */
export function fieldsFor(competition: Competition | null, typed: URLSearchParams | undefined): CompetitionFields {
  const fields = competition === null ? NEW_COMPETITION : fieldsOf(competition);
  // The form that closes a competition has none of these fields.
  if (typed?.has("title") !== true) return fields;
  const { problems: _, ...single } = fields;
  const names = Object.keys(single) as (keyof typeof single)[];
  const values = Object.fromEntries(names.map((name) => [name, typed.get(name) ?? single[name]])) as typeof single;
  const text = (field: string): string => typed.get(field) ?? "";
  return {
    ...values,
    problems: typed.getAll("problem").map((name) => ({
      name,
      targets: text(`targets:${name}`),
      endsAt: text(`endsAt:${name}`),
      limits: text(`limits:${name}`),
    })),
  };
}

/**
 * Returns a problem's own limits; an empty object where the field is empty.
 * @throws KernelBotError that names the problem.
 */
function ownLimits(problem: string, text: string): { limits?: Limits } {
  try {
    const limits = parseLimits(text);
    return Object.keys(limits).length === 0 ? {} : { limits };
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    throw new KernelBotError(error.code, `limits of ${problem}: ${error.message}`);
  }
}

/**
 * Returns the competition specification of the form's input.
 * @param before The competition before the edit. Times that were not edited keep their full precision.
 * @throws KernelBotError `unprocessable` that names the field.
 */
export function specOf(typed: URLSearchParams, name: string, before?: Competition): CompetitionSpec {
  const text = (field: string): string => (typed.get(field) ?? "").replaceAll("\r\n", "\n");
  /** Returns null for an empty field. */
  const moment = (field: string, was: string | null = null): string | null => {
    const input = text(field);
    if (input === "") return null;
    return was !== null && input === fieldMoment(was) ? was : `${input}${input.length === 16 ? ":00" : ""}Z`;
  };
  /** Returns null for a field without names. */
  const names = (field: string): string[] | null => {
    const input = text(field)
      .split(/[\s,]+/)
      .filter((word) => word !== "");
    return input.length === 0 ? null : input;
  };
  const lines = (field: string): string[] =>
    text(field)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const organisers = lines("organisers");
  if (organisers.length === 0 && before !== undefined) {
    throw new KernelBotError("unprocessable", "organisers: name at least one");
  }
  const limits = LIMIT_KEYS.filter(({ key }) => text(key) !== "").map(({ key }) => [key, Number(text(key))]);
  const input = {
    name,
    title: text("title"),
    description: text("description"),
    visibility: text("visibility"),
    participants: text("participants"),
    groups: lines("groups"),
    names: text("names"),
    startsAt: moment("startsAt", before?.startsAt) ?? undefined,
    endsAt: moment("endsAt", before?.endsAt) ?? undefined,
    freezeAt: moment("freezeAt", before?.freezeAt),
    revealAt: moment("revealAt", before?.revealAt),
    limits: Object.fromEntries(limits) as Record<string, number>,
    codeVisibility: text("codeVisibility"),
    licence: text("licence") === "" ? null : text("licence"),
    teamSize: Number(text("teamSize")),
    ...(organisers.length > 0 && { organisers }),
    targets: names("targets"),
    problems: typed.getAll("problem").map((problem) => {
      const was = before?.problems.find((each) => each.name === problem);
      return {
        name: problem,
        targets: names(`targets:${problem}`),
        endsAt: moment(`endsAt:${problem}`, was?.endsAt),
        ...ownLimits(problem, text(`limits:${problem}`)),
      };
    }),
  };
  return validated(CompetitionSpec, input, LABELS);
}
