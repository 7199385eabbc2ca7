/** The webhook events of pull requests that are processed. */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";

/** Label with which maintainers request an evaluation. */
export const LABEL = "evaluate";

export const Sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
export const Login = z.string().min(1).max(100);

const Pull = z.object({
  repository: z.string(),
  number: z
    .int()
    .positive()
    .max(2 ** 31 - 1),
  installationId: z.int().positive(),
  author: z.string(),
  headSha: Sha,
});
export type Pull = z.infer<typeof Pull>;

export const PullEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("labelled"), sha: Sha, by: Login }),
  z.object({ type: z.literal("unlabelled"), by: Login }),
  z.object({ type: z.literal("moved"), sha: Sha }),
  z.object({ type: z.literal("reopened"), sha: Sha }),
  z.object({ type: z.literal("closed"), mergedAs: Sha.nullable() }),
]);
export type PullEvent = z.infer<typeof PullEvent>;

/** Payload of the webhook event `pull_request`, with the fields that are used. */
const Payload = z.object({
  action: z.string(),
  label: z.object({ name: z.string() }).optional(),
  installation: z.object({ id: z.int().positive() }),
  repository: z.object({ full_name: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/) }),
  sender: z.object({ login: Login }),
  pull_request: z.object({
    number: Pull.shape.number,
    // Null when the author's GitHub account was deleted.
    user: z.object({ login: Login }).nullable(),
    head: z.object({ sha: Sha }),
    merged: z.boolean().default(false),
    merge_commit_sha: Sha.nullish(),
  }),
});

/**
 * Parses a payload; null when the event is ignored.
 * @throws KernelBotError `unprocessable` when the payload is invalid.
 */
export function readEvent(payload: unknown): { pull: Pull; event: PullEvent } | null {
  const parsed = Payload.safeParse(payload);
  if (!parsed.success) {
    const where = parsed.error.issues.map(({ path }) => path.join(".")).join(", ");
    throw new KernelBotError(
      "unprocessable",
      `not a valid pull_request event of a GitHub App; invalid fields: ${where}`,
    );
  }
  const { action, label, installation, repository, sender, pull_request } = parsed.data;
  const { sha } = pull_request.head;
  const event = eventOf();
  if (event === null) return null;
  const pull = {
    repository: repository.full_name.toLowerCase(),
    number: pull_request.number,
    installationId: installation.id,
    author: pull_request.user?.login ?? "ghost",
    headSha: sha,
  };
  return { pull, event };

  function eventOf(): PullEvent | null {
    const isOurLabel = label?.name.toLowerCase() === LABEL;
    switch (action) {
      case "labeled":
        return isOurLabel ? { type: "labelled", sha, by: sender.login } : null;
      case "unlabeled":
        return isOurLabel ? { type: "unlabelled", by: sender.login } : null;
      case "synchronize":
        return { type: "moved", sha };
      case "reopened":
        return { type: "reopened", sha };
      case "closed":
        return { type: "closed", mergedAs: pull_request.merged ? (pull_request.merge_commit_sha ?? null) : null };
      default:
        return null;
    }
  }
}
