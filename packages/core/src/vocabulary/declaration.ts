/** Declarations of a submission: who wrote it, and under which licence it may be published. */
import { z } from "zod";
import { KernelBotError } from "../errors.ts";

export const AUTHOR_KINDS = ["undeclared", "human", "assisted", "autonomous"] as const;
/**
 * Kind of author: a person, a person assisted by a model, or a model autonomously. Without a declaration the kind is
 * `undeclared`, not `human`, so that statistics of authorship count only declared submissions.
 */
export const AuthorKind = z.enum(AUTHOR_KINDS);
export type AuthorKind = z.infer<typeof AuthorKind>;

export const ModelName = z
  .string()
  .trim()
  .min(1, "name the model")
  .max(100, "use at most 100 characters")
  .regex(/^[^\p{C}]*$/u, "use printable characters");

export const Author = z.object({ kind: AuthorKind, model: z.string().nullable() });
export type Author = z.infer<typeof Author>;

/**
 * Returns the declared author.
 * @throws KernelBotError `unprocessable` if kind and model contradict each other.
 */
export function declaredAuthor(kind: AuthorKind = "undeclared", model: string | null = null): Author {
  if (kind === "autonomous" && model === null) {
    throw new KernelBotError("unprocessable", "model: name the model that wrote the submission autonomously");
  }
  if (model !== null && kind !== "autonomous" && kind !== "assisted") {
    throw new KernelBotError(
      "unprocessable",
      `model: an author of the kind ${kind} has none; declare assisted or autonomous`,
    );
  }
  return { kind, model };
}

/** Formats an author: `human`, `assisted by M`, `autonomous: M`; null if undeclared. */
export function formatAuthor({ kind, model }: Author): string | null {
  if (kind === "undeclared") return null;
  if (model === null) return kind;
  return kind === "assisted" ? `assisted by ${model}` : `${kind}: ${model}`;
}

export const LICENCES = ["MIT", "Apache-2.0", "BSD-3-Clause", "CC-BY-4.0", "CC0-1.0"] as const;
/** SPDX identifiers of the licences under which a submission may be published. */
export const Licence = z.enum(LICENCES);
export type Licence = z.infer<typeof Licence>;

/** Consent to publication under a licence; null withdraws it. */
export const LicenceChoice = z.strictObject({ licence: Licence.nullable() });
export type LicenceChoice = z.infer<typeof LicenceChoice>;

/** Whether published data shows a pseudonym instead of the account's name. */
export const Anonymity = z.strictObject({ anonymous: z.boolean() });
export type Anonymity = z.infer<typeof Anonymity>;

/** Publication settings of one of the caller's own submissions. */
export const SubmissionConsent = LicenceChoice.extend({
  anonymous: z
    .boolean()
    .nullable()
    .optional()
    .describe("Null applies the account's setting; when omitted, the setting is unchanged"),
});
export type SubmissionConsent = z.infer<typeof SubmissionConsent>;
