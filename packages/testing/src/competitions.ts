/** Fixtures for tests of competitions: an organiser, and competitions with the problem `triple`. */
import { beforeEach } from "vitest";
import type { z } from "zod";
import { CompetitionSpec, type Competition } from "@kernelbot/core";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { person } from "./fixtures.ts";
import { database } from "./scene.ts";
import { createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import { claimInvite, createInvites } from "@kernelbot/server/src/competitions/invites.ts";

export let olga: Identity;

/** Creates, before each test of the calling file, the organiser in the scene's database; called after `useScene`. */
export function useOrganiser(): void {
  beforeEach(async () => {
    olga = await person(database, "olga", ["submit", "read", "admin"], ["organiser"]);
  });
}

const HOUR_MS = 3_600_000;

/** Returns the time some hours from now, in ISO 8601. */
export function inHours(hours: number): string {
  return new Date(Date.now() + hours * HOUR_MS).toISOString();
}

/** Problems may be given by name only. */
type Spec = z.input<typeof CompetitionSpec>;

/** Returns the specification of a competition that started one hour ago and ends in one hour. */
export function spec(change: Partial<Spec> = {}): CompetitionSpec {
  return CompetitionSpec.parse({
    name: "spring",
    title: "Spring kernels",
    startsAt: inHours(-1),
    endsAt: inHours(1),
    problems: ["triple"],
    ...change,
  });
}

export function made(change: Partial<Spec> = {}): Promise<Competition> {
  return createCompetition(database, olga, spec(change));
}

/** Creates an invite code of the competition. */
export async function invite(competition = "spring"): Promise<string> {
  const { codes } = await createInvites(database, olga, { competitions: [competition], count: 1 });
  return codes[0] as string;
}

/** Makes an account a member of the competition; returns the code that it used. */
export async function join(identity: Identity, competition = "spring"): Promise<string> {
  const code = await invite(competition);
  await claimInvite(database, identity, code);
  return code;
}
