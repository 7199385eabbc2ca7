/** Claims of a launch (LTI 1.3 Core, Assignment and Grade Services 2.0). */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";

const CLAIM = "https://purl.imsglobal.org/spec/lti/claim";
const ROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const AGS = "https://purl.imsglobal.org/spec/lti-ags";

/** Permissions of the services. */
export const SCOPES = {
  score: `${AGS}/scope/score`,
  lineItem: `${AGS}/scope/lineitem`,
  members: "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly",
} as const;

const Id = z.string().min(1).max(255);
/** Platforms send names and addresses only if their administrators allow it. */
const Personal = z.string().trim().max(300).optional().catch(undefined);
const Address = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .optional();

const Claims = z.object({
  sub: Id,
  name: Personal,
  given_name: Personal,
  family_name: Personal,
  email: Personal,
  [`${CLAIM}/message_type`]: z.literal("LtiResourceLinkRequest"),
  [`${CLAIM}/version`]: z.literal("1.3.0"),
  [`${CLAIM}/deployment_id`]: Id,
  [`${CLAIM}/target_link_uri`]: z.string().optional().catch(undefined),
  [`${CLAIM}/roles`]: z.array(z.string()).default([]),
  [`${CLAIM}/resource_link`]: z.object({ id: Id }),
  [`${CLAIM}/context`]: z.object({ id: Id, title: Personal, label: Personal }),
  [`${CLAIM}/custom`]: z.object({ kernelbot: z.string().trim().optional().catch(undefined) }).default({}),
  [`${AGS}/claim/endpoint`]: z
    .object({ scope: z.array(z.string()).default([]), lineitem: Address, lineitems: Address })
    .optional(),
});

/** A verified launch. */
export interface Launch {
  subject: string;
  /** Empty if the platform sends none. */
  name: string;
  email: string | null;
  isStudent: boolean;
  deployment: string;
  resource: string;
  context: string;
  contextTitle: string | null;
  /** Secret of the link, from the custom parameters or the query of the tool's URL; undefined if the activity has none. */
  link: string | undefined;
  lineItem: string | null;
  lineItems: string | null;
  scopes: string[];
}

/** Parses the claims of a verified ID token. @throws KernelBotError `unprocessable` if one is missing or invalid. */
export function parseLaunch(claims: unknown): Launch {
  const parsed = Claims.safeParse(claims);
  if (!parsed.success) {
    const places = parsed.error.issues.map(({ path }) => String(path[0]).replace(`${CLAIM}/`, ""));
    throw new KernelBotError(
      "unprocessable",
      `this launch lacks valid ${[...new Set(places)].join(", ")}; it must be an activity of a course, opened by a user of the platform`,
    );
  }
  const { data } = parsed;
  const context = data[`${CLAIM}/context`];
  const ags = data[`${AGS}/claim/endpoint`];
  const email = data.email?.toLowerCase();
  return {
    subject: data.sub,
    name: data.name ?? [data.given_name, data.family_name].filter(Boolean).join(" "),
    email: email !== undefined && /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email : null,
    isStudent: isStudent(data[`${CLAIM}/roles`]),
    deployment: data[`${CLAIM}/deployment_id`],
    resource: data[`${CLAIM}/resource_link`].id,
    context: context.id,
    contextTitle: context.title ?? context.label ?? null,
    link: data[`${CLAIM}/custom`].kernelbot ?? queryOf(data[`${CLAIM}/target_link_uri`])?.get("kernelbot") ?? undefined,
    lineItem: ags?.lineitem ?? null,
    lineItems: ags?.lineitems ?? null,
    scopes: ags?.scope ?? [],
  };
}

function queryOf(url: string | undefined): URLSearchParams | undefined {
  return URL.parse(url ?? "")?.searchParams;
}

/** Returns whether roles are those of a student: a learner who does not teach the course, and is not a test user. */
export function isStudent(roles: readonly string[]): boolean {
  const has = (role: string) => roles.some((each) => each === role || each === `${ROLE}#${role}`);
  const isTest = roles.some((role) => role.endsWith("#TestUser"));
  return has("Learner") && !has("Instructor") && !has("ContentDeveloper") && !isTest;
}
