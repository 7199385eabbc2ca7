import { KernelBotError } from "@kernelbot/core";

/** What a token may do: submit and cancel, read, claim and report runs, administer. */
export const SCOPES = ["submit", "read", "runner", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Who asks, as far as a token tells. Made by `authenticate` of intake. */
export interface Identity {
  account: { id: string; name: string };
  scopes: readonly Scope[];
  /** The targets that the token may claim runs for. */
  targets: readonly string[];
  tokenId: number;
}

/** @throws KernelBotError `forbidden` where the token lacks the scope; `admin` has all of them but `runner`. */
export function requireScope(identity: Identity, scope: Scope): void {
  if (identity.scopes.includes(scope)) return;
  if (scope !== "runner" && identity.scopes.includes("admin")) return;
  throw new KernelBotError("forbidden", `this token may not ${VERB_OF_SCOPE[scope]}: it lacks the scope ${scope}`);
}

const VERB_OF_SCOPE: Record<Scope, string> = {
  submit: "submit or cancel",
  read: "read submissions",
  runner: "claim or report runs",
  admin: "administer",
};
