/**
 * Declared author of a kernel, from options, from the environment variables of an agent or from directives in the file.
 */
import { AUTHOR_KINDS, readDirectives, type AuthorKind, type SubmitRequest } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

interface Declaration {
  author?: string | undefined;
  model?: string | undefined;
}

/**
 * Returns the author and model of the first source that names an author: options, environment, directives in the file.
 * Sources are not mixed, except that `--model` always applies. The environment precedes the file because an agent may
 * be editing a file that a person wrote.
 */
export function declaredAuthor(
  source: string,
  options: Declaration,
  env: NodeJS.ProcessEnv = process.env,
): Pick<SubmitRequest, "author" | "model"> {
  const environment = { author: env.KERNELBOT_AUTHOR || undefined, model: env.KERNELBOT_MODEL || undefined };
  const declared: Declaration =
    [options, environment, readDirectives(source)].find(({ author }) => author !== undefined) ?? {};
  const model = options.model ?? declared.model;
  return {
    ...(declared.author !== undefined && { author: toKind(declared.author) }),
    ...(model !== undefined && { model }),
  };
}

function toKind(text: string): AuthorKind {
  const kind = AUTHOR_KINDS.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw new UsageError(`the author must be one of ${AUTHOR_KINDS.join(", ")}, not ${JSON.stringify(text)}`);
}
