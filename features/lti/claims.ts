/** Claims of messages (LTI 1.3 Core, Assignment and Grade Services 2.0, Deep Linking 2.0). */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { withoutNulls } from "./without-nulls.ts";

const CLAIM = "https://purl.imsglobal.org/spec/lti/claim";
const ROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const DEEP_LINK = "https://purl.imsglobal.org/spec/lti-dl/claim";
const NRPS = "https://purl.imsglobal.org/spec/lti-nrps";
const AGS = "https://purl.imsglobal.org/spec/lti-ags";

/** Permissions of the services. */
export const SCOPES = {
  score: `${AGS}/scope/score`,
  lineItem: `${AGS}/scope/lineitem`,
  members: `${NRPS}/scope/contextmembership.readonly`,
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
  email_verified: z.literal(true).optional().catch(undefined),
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
  [`${NRPS}/claim/namesroleservice`]: z.object({ context_memberships_url: Address }).optional(),
});

/** A verified launch. */
export interface Launch {
  subject: string;
  /** Empty if the platform sends none. */
  name: string;
  email: string | null;
  /** Whether the platform states that the address belongs to the user. */
  isEmailVerified: boolean;
  isStudent: boolean;
  deployment: string;
  resource: string;
  context: string;
  contextTitle: string | null;
  /** Secret of the link, from the custom parameters or the query of the tool's URL; undefined if the activity has none. */
  link: string | undefined;
  lineItem: string | null;
  lineItems: string | null;
  /** Address of the list of the course's members. */
  members: string | null;
  scopes: string[];
}

/** Parses the claims of a verified ID token. @throws KernelBotError `unprocessable` if one is missing or invalid. */
export function parseLaunch(claims: unknown): Launch {
  const data = parsed(Claims, claims, "it must be an activity of a course, opened by a user of the platform");
  const context = data[`${CLAIM}/context`];
  const ags = data[`${AGS}/claim/endpoint`];
  const email = data.email?.toLowerCase();
  return {
    subject: data.sub,
    name: data.name ?? [data.given_name, data.family_name].filter(Boolean).join(" "),
    email: email !== undefined && /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email : null,
    isEmailVerified: data.email_verified === true,
    isStudent: isStudent(data[`${CLAIM}/roles`]),
    deployment: data[`${CLAIM}/deployment_id`],
    resource: data[`${CLAIM}/resource_link`].id,
    context: context.id,
    contextTitle: context.title ?? context.label ?? null,
    link: data[`${CLAIM}/custom`].kernelbot ?? queryOf(data[`${CLAIM}/target_link_uri`])?.get("kernelbot") ?? undefined,
    lineItem: ags?.lineitem ?? null,
    lineItems: ags?.lineitems ?? null,
    members: data[`${NRPS}/claim/namesroleservice`]?.context_memberships_url ?? null,
    scopes: ags?.scope ?? [],
  };
}

/** A verified request to choose what a new activity opens. */
interface DeepLinkRequest {
  deployment: string;
  contextTitle: string | null;
  isTeacher: boolean;
  returnUrl: string;
  /** Value that the platform expects back. */
  data: string | null;
  /** Whether the platform accepts an activity that launches this server. */
  acceptsLink: boolean;
  /** Whether the platform creates a grade column with the activity. */
  takesColumn: boolean;
  /** Whether the platform can open the activity in a window of its own. */
  opensWindow: boolean;
}

const DeepLinkClaims = z.object({
  [`${CLAIM}/version`]: z.literal("1.3.0"),
  [`${CLAIM}/deployment_id`]: Id,
  [`${CLAIM}/roles`]: z.array(z.string()).default([]),
  [`${CLAIM}/context`]: z.object({ title: Personal, label: Personal }).default({}),
  [`${DEEP_LINK}/deep_linking_settings`]: z.object({
    // The origin becomes a part of the Content-Security-Policy of a page.
    deep_link_return_url: z.url({ protocol: /^https?$/, hostname: /^[\w.:[\]-]+$/ }).max(2000),
    accept_types: z.array(z.string()),
    accept_presentation_document_targets: z.array(z.string()).default([]).catch([]),
    accept_lineitem: z.boolean().default(true).catch(true),
    data: z.string().max(20_000).optional(),
  }),
});

/** Returns whether the claims of a verified ID token are a request to choose what a new activity opens. */
export function isDeepLinkRequest(claims: unknown): boolean {
  return (claims as Record<string, unknown>)[`${CLAIM}/message_type`] === "LtiDeepLinkingRequest";
}

/** Parses the claims of a verified request. @throws KernelBotError `unprocessable` if one is missing or invalid. */
export function parseDeepLinkRequest(claims: unknown): DeepLinkRequest {
  const data = parsed(DeepLinkClaims, claims, "the platform must send its Deep Linking settings");
  const settings = data[`${DEEP_LINK}/deep_linking_settings`];
  const { title, label } = data[`${CLAIM}/context`];
  return {
    deployment: data[`${CLAIM}/deployment_id`],
    contextTitle: title ?? label ?? null,
    isTeacher: isTeacher(data[`${CLAIM}/roles`]),
    returnUrl: settings.deep_link_return_url,
    data: settings.data ?? null,
    acceptsLink: settings.accept_types.includes("ltiResourceLink"),
    takesColumn: settings.accept_lineitem,
    opensWindow: settings.accept_presentation_document_targets.includes("window"),
  };
}

/** Returns the claims that answer a request with one activity. */
export function deepLinkResponse(request: { deployment: string; data: string | null }, item: unknown) {
  return {
    [`${CLAIM}/message_type`]: "LtiDeepLinkingResponse",
    [`${CLAIM}/version`]: "1.3.0",
    [`${CLAIM}/deployment_id`]: request.deployment,
    [`${DEEP_LINK}/content_items`]: [item],
    ...(request.data !== null && { [`${DEEP_LINK}/data`]: request.data }),
  };
}

function parsed<T>(schema: z.ZodType<T>, claims: unknown, remedy: string): T {
  const result = schema.safeParse(withoutNulls(claims));
  if (result.success) return result.data;
  const places = result.error.issues.map(({ path }) =>
    path
      .map(String)
      .join(".")
      .replace(/^https:.*\/claim\//, ""),
  );
  throw new KernelBotError("unprocessable", `this launch lacks valid ${[...new Set(places)].join(", ")}; ${remedy}`);
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

/** Returns whether roles are those of a user who may change the activities of the course. */
function isTeacher(roles: readonly string[]): boolean {
  return roles.some((role) => /(^|#|\/membership\/)(Instructor|ContentDeveloper|Administrator)(#|$)/.test(role));
}
