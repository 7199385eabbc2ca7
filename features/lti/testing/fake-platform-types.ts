/** What tests set, and read, of a fake learning platform. */
import type { JSONWebKeySet } from "jose";
import type { LtiPlatformRequest } from "../messages.ts";
import type { FakeBrowser } from "@kernelbot/testing/fake-browser.ts";

export interface PlatformUser {
  id: string;
  name?: string;
  email?: string;
  emailVerified?: boolean;
  role?: "Learner" | "Instructor";
}

export interface Activity {
  id: string;
  /** Custom parameters, as `name=value`. */
  custom?: string;
  /** Query of the tool's URL in the activity. */
  query?: string;
  /** Whether the activity has a grade column of its own. */
  graded?: boolean;
}

export interface ReceivedScore {
  column: string;
  userId: string;
  scoreGiven: number;
  scoreMaximum: number;
  timestamp: string;
}

export interface FakePlatform extends AsyncDisposable {
  url: string;
  registration: LtiPlatformRequest;
  /** Reads the public keys of the tool. */
  toolKeys: () => Promise<JSONWebKeySet>;
  users: PlatformUser[];
  /** Permissions that the platform grants. */
  scopes: string[];
  /** Returns the OpenID configuration. */
  configuration: () => Record<string, unknown>;
  /** What tools have registered with. */
  registered: Record<string, unknown>[];
  /** Claims of the next ID tokens, and fields of the responses of a registration, that replace the correct ones; undefined removes a claim. */
  wrong: Record<string, unknown>;
  /** Whether ID tokens are signed with another key than the published one. */
  forged: boolean;
  /** Status with which every request to a service is answered; 0 for the correct answers. */
  failing: number;
  /** Grade columns by their path, with what created them. */
  columns: Map<string, Record<string, unknown>>;
  /** Members of the course, as the service lists them. */
  members: Record<string, unknown>[];
  /** Accepted scores, the oldest first. */
  scores: ReceivedScore[];
  /** Number of tokens that were issued. */
  tokens: number;
  /** Makes the tokens that were issued invalid. */
  expireTokens(): void;
  /** Activities that were added by deep linking. */
  added: Activity[];
  /** Announces a user who adds an activity; `settings` replace those of the request. Returns the query of the login. */
  addActivity(user: PlatformUser, settings?: Record<string, unknown>): Record<string, string>;
  /** Begins to add an activity in a browser. Returns the tool's response. */
  deepLink(
    browser: FakeBrowser,
    user: PlatformUser,
    settings?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Opens an activity in a browser. Returns the tool's response to the launch. */
  launch(
    browser: FakeBrowser,
    user: PlatformUser,
    activity: Activity,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Returns the form that the platform makes the browser post to the tool. */
  authenticate(location: string): Promise<{ action: string; fields: URLSearchParams }>;
}
