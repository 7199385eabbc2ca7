/** Messages about learning platforms, which open courses and receive grades by LTI 1.3. */
import { z } from "zod";
import { ProblemName } from "@kernelbot/core";
import { RosterResult } from "../courses/messages.ts";

const Address = z
  .url({ protocol: /^https?$/, error: "use an http or https URL" })
  .max(1000, "use at most 1000 characters");
const Word = z.string().trim().min(1, "enter a value").max(255, "use at most 255 characters");

/** Registration of this server at a learning platform, as the platform shows it. */
export const LtiPlatformRequest = z.strictObject({
  /** Name for pages and lists. */
  name: z.string().trim().min(1, "enter a name").max(100, "use at most 100 characters"),
  /** Issuer of the platform: `https://moodle.example.edu`, or `https://canvas.instructure.com`. */
  issuer: Word,
  /** Client id that the platform assigned to this server. */
  clientId: Word,
  /** Deployment ids from which launches are accepted. */
  deployments: z.array(Word).min(1, "name at least one deployment id").max(100, "name at most 100"),
  /** Authentication request URL, to which browsers are sent. */
  authorizeUrl: Address,
  /** Access token URL. */
  tokenUrl: Address,
  /** URL of the platform's public keys. */
  jwksUrl: Address,
});
export type LtiPlatformRequest = z.infer<typeof LtiPlatformRequest>;

/** A registered learning platform. */
export const LtiPlatform = z.object({
  ...LtiPlatformRequest.shape,
  issuer: z.string(),
  clientId: z.string(),
  /** Deployment ids from which launches are accepted; empty until an administrator adds those of a platform that sent none. */
  deployments: z.array(z.string()),
  id: z.int(),
  createdAt: z.iso.datetime(),
});
export type LtiPlatform = z.infer<typeof LtiPlatform>;

/** Request for a link by which a platform registers this server and itself (LTI Dynamic Registration 1.0). */
export const LtiRegistrationRequest = z.strictObject({
  /** Name of the platform for pages and lists. */
  name: LtiPlatformRequest.shape.name,
  /** Address of the platform: `https://moodle.example.edu`. Its configuration is read from this host only. */
  address: Address,
});
export type LtiRegistrationRequest = z.infer<typeof LtiRegistrationRequest>;

export const LtiRegistrationLink = z.object({
  /** Tool registration URL, with a secret that is returned only once. Usable for one platform. */
  url: z.string(),
  /** Host of the platform. */
  host: z.string(),
  expiresAt: z.iso.datetime(),
});
export type LtiRegistrationLink = z.infer<typeof LtiRegistrationLink>;

/** Addresses of this server, which are entered at a platform to register it. */
export const LtiAddresses = z.object({
  /** Tool URL and redirect URI: receives launches. */
  launchUrl: z.string(),
  /** Content selection URL: receives the requests to choose what a new activity opens (LTI Deep Linking). */
  deepLinkingUrl: z.string(),
  /** Initiate login URL. */
  loginUrl: z.string(),
  /** URL of this server's public keys. */
  jwksUrl: z.string(),
});
export type LtiAddresses = z.infer<typeof LtiAddresses>;

export const LtiPlatforms = z.object({ addresses: LtiAddresses, platforms: z.array(LtiPlatform) });
export type LtiPlatforms = z.infer<typeof LtiPlatforms>;

/** Permission to open a course from one activity of a platform. */
export const LtiLinkRequest = z.strictObject({
  /** Assignment whose points the activity receives; by default the activity is for the whole course. */
  problem: ProblemName.optional(),
});
export type LtiLinkRequest = z.infer<typeof LtiLinkRequest>;

/** A new link, with the secret that is returned only once. */
export const NewLtiLink = z.object({
  id: z.int(),
  problem: z.string().nullable(),
  /** Custom parameter of the activity, or query of its URL: `kernelbot=SECRET`. */
  parameter: z.string(),
  addresses: LtiAddresses,
});
export type NewLtiLink = z.infer<typeof NewLtiLink>;

export const LtiLink = z.object({
  id: z.int(),
  problem: z.string().nullable(),
  createdAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().nullable(),
  /** Platform of the activity; null before its first launch. */
  platform: z.string().nullable(),
  /** Title of the platform's course, where it sends one. */
  contextTitle: z.string().nullable(),
  launchedAt: z.iso.datetime().nullable(),
  /** Whether the platform accepts grades from this link. */
  sendsGrades: z.boolean(),
});
export type LtiLink = z.infer<typeof LtiLink>;

/** What an import of the members of the platforms' courses changed on a roster. */
export const LtiRosterResult = z.object({
  ...RosterResult.shape,
  /** Addresses on the roster that are not those of an active student at a platform. They remain on the roster. */
  missing: RosterResult.shape.missing,
  /** Number of active members that are not students. */
  others: z.int(),
  /** Students that could not be imported. */
  rejected: z.array(z.object({ member: z.string(), reason: z.string() })),
});
export type LtiRosterResult = z.infer<typeof LtiRosterResult>;

/** A grade that a platform has not accepted. It is sent again. */
export const LtiFailedScore = z.object({
  link: z.int(),
  problem: z.string(),
  /** Account of the student. */
  account: z.string(),
  /** Name on the roster; null once the account has left it. */
  student: z.string().nullable(),
  points: z.number(),
  error: z.string(),
  tries: z.int(),
  nextTryAt: z.iso.datetime(),
});
export type LtiFailedScore = z.infer<typeof LtiFailedScore>;

/** Links of a course, and the state of its grades at the platforms. */
export const CourseLti = z.object({
  links: z.array(LtiLink),
  /** Number of grades that platforms have accepted and that are current. */
  sent: z.int(),
  /** When the last of these grades was sent; null if there are none. */
  lastSentAt: z.iso.datetime().nullable(),
  /** Number of grades that are queued for their first try. */
  queued: z.int(),
  failed: z.array(LtiFailedScore),
});
export type CourseLti = z.infer<typeof CourseLti>;
