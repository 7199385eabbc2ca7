/**
 * Options of `kernelbot-server serve` that optional features add. A feature declares their types beside their definitions,
 * in its `serve-options.ts`; `features/serve-options.ts` lists those files, and `config.ts` parses the options.
 *
 * @example
 * declare module "@kernelbot/server/src/feature-options.ts" {
 *   interface FeatureOptions { motd: string }
 * }
 */
import type { OptionDefinitions, VariableDefinition } from "@kernelbot/core";
import type { z } from "zod";

/** The parsed options. Those of a feature that is switched off are missing: nothing reads them. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the optional features add its members
export interface FeatureOptions {}

/** What a feature adds to the options of `serve`. */
export interface FeatureOptionDefinitions {
  /** Name of the feature; if it is switched off, its options are accepted and ignored. */
  feature: string;
  options?: OptionDefinitions;
  /** Environment variables without an option, by subject. */
  variables?: Readonly<Record<string, Readonly<Record<string, VariableDefinition>>>>;
  /** Schemas of the values: of each option by its name in camel case, and of those that `read` returns. */
  shape: { readonly [Name in keyof FeatureOptions]?: z.ZodType<FeatureOptions[Name]> };
  /** Reads the variables. @throws KernelBotError `bad_request` that names each invalid one. */
  read?: (env: NodeJS.ProcessEnv) => Partial<FeatureOptions>;
  /** Returns what requires the public URL, and why: `NAME: the public URL, to which …`; undefined if nothing does. */
  publicUrlFor?: (options: FeatureOptions) => string | undefined;
}
