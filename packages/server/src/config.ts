/** Options of `kernelbot-server`: from the command line, else from environment variables, else defaults. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  flagConfig,
  formatOptions,
  KernelBotError,
  Limits,
  type OptionDefinitions,
  parseLimits,
  PublicationDestination,
  quote,
  Scope,
  TargetName,
} from "@kernelbot/core";
import { FEATURE_OPTIONS } from "@kernelbot/features/serve-options.ts";
import { SERVER_COMMANDS } from "@kernelbot/features/server-cli.ts";
import { z } from "zod";
import { readS3Options, type S3Options } from "./artifacts/s3/options.ts";
import { parseEvaluationLimits } from "./evaluations/limits.ts";
import type { FeatureOptionDefinitions, FeatureOptions } from "./feature-options.ts";
import { parseClientLimits } from "./http/clients/limits.ts";
import { readHuggingFaceOptions, type HuggingFaceOptions } from "./integrations/huggingface/options.ts";
import { readDiscordOptions, type DiscordOptions } from "./integrations/discord/options.ts";
import { readLaunchers, type LauncherConfig } from "./integrations/launchers/config.ts";
import { readMailOptions, type MailOptions } from "./auth/email/options.ts";
import { readProviders, type Provider } from "./auth/providers.ts";
import { BACKUP_OPTIONS, COMMANDS, COMMON_OPTIONS, RESTORE_OPTIONS, SERVE_OPTIONS, TOKEN_OPTIONS } from "./options.ts";
import { CanaryBounds, CanaryEvery, TargetHardwareOption } from "./runners/policy.ts";
import type { ServerCommand } from "./server-command.ts";

export const USAGE = `Usage: kernelbot-server [COMMAND] [options]

${Object.entries(COMMANDS)
  .map(([name, { about }]) => `  ${name.padEnd(7)}  ${about}`)
  .join("\n")}

${Object.entries(COMMANDS)
  .map(([name, { options }]) => `Options of ${name}:\n${formatOptions(options)}`)
  .join("\n\n")}

Options of all commands:
${formatOptions(COMMON_OPTIONS)}

Environment variables without an option configure PostgreSQL (DATABASE_URL), the log, the object store, sign-in, the
Discord bot, Hugging Face and optional features: docs/reference/configuration.md. How to run a server:
docs/guides/run-a-server.md.
`;

const List = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
const Targets = List.pipe(z.array(TargetName));

const Common = {
  data: z.string().min(1).optional(),
  databaseUrl: z.string().min(1).optional(),
  log: z.enum(["debug", "info", "warn", "error", "silent"]).default("warn"),
};

/** Command that creates a signing key, for error messages. */
export const MAKE_A_KEY = "openssl genpkey -algorithm ed25519 -out FILE makes one";

const PublicUrl = z
  .string()
  .refine((text) => URL.parse(text)?.pathname === "/" && /^https?:/.test(text), "use https://HOST, without a path")
  .transform((text) => new URL(text).origin);

/** Default limits of an account: more than one person uses, less than fills the queue. */
const DEFAULT_LIMITS =
  "test_per_hour=1000,test_concurrent=100,benchmark_per_hour=500,benchmark_concurrent=100,ranked_per_hour=200," +
  "ranked_concurrent=100,profile_per_hour=100,profile_concurrent=20,duel_per_hour=100,duel_concurrent=20," +
  "application_per_hour=20,application_concurrent=4";

/** Returns a zod transform that parses with `parse` and reports its error as an issue of the option. */
function parsedBy<T>(parse: (text: string) => T) {
  return (text: string, context: z.RefinementCtx): T => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  };
}

/** Parses a number of digits. @param expected What to use instead of other texts. */
function digits(pattern: RegExp, expected: string) {
  return z.string().regex(pattern, `use ${expected}`).transform(Number);
}

const ServeOptions = z
  .object({
    ...Common,
    host: z.string().min(1).default("127.0.0.1"),
    port: digits(/^\d+$/, "a number").pipe(z.number().max(65_535)).default(8080),
    problems: z
      .string()
      .min(1)
      .default(resolve(import.meta.dirname, "../../../problems")),
    sampleSuite: z.enum(["yes", "no"]).transform((text) => text === "yes"),
    localRunner: Targets.default([]),
    archives: z.url().default("https://codeload.github.com"),
    unsafeNoSandbox: z.boolean().default(false),
    without: List.default([]),
    rerunTop: digits(/^\d+$/, "a number").pipe(z.number().max(10_000)).default(0),
    limits: z
      .string()
      .transform(parsedBy((text) => parseLimits(text.trim() === "none" ? "" : text)))
      .pipe(Limits)
      .prefault(DEFAULT_LIMITS),
    clientLimits: z.string().transform(parsedBy(parseClientLimits)).prefault(""),
    evaluationLimits: z.string().transform(parsedBy(parseEvaluationLimits)).prefault(""),
    keepEvaluations: digits(/^[1-9]\d{0,3}$/, "a whole number of days, from 1 to 9999").default(7),
    keepUnranked: digits(/^[1-9]\d{0,3}$/, "a whole number of days, from 1 to 9999").optional(),
    privateWebhooks: z.boolean().default(false),
    signingKey: z.string().min(1).optional(),
    keepArtifacts: digits(/^[1-9]\d{0,3}$/, "a whole number of days, from 1 to 9999").default(30),
    datasetsEvery: digits(/^[1-9]\d{0,3}$/, "a whole number of hours, from 1 to 9999").optional(),
    datasetsTo: List.pipe(z.array(PublicationDestination)).optional(),
    datasetsKeep: digits(/^[1-9]\d{0,3}$/, "a whole number, from 1 to 9999").default(10),
    backupTo: z.string().min(1).optional(),
    backupEvery: digits(/^[1-9]\d{0,3}$/, "a whole number of hours, from 1 to 9999").default(24),
    backupAt: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "use HH:MM, such as 03:00")
      .default("03:00")
      .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))),
    backupKeep: digits(/^[1-9]\d{0,3}$/, "a whole number, from 1 to 9999").default(7),
    backupWithoutObjects: z.boolean().default(false),
    restoreTestEvery: digits(/^\d{1,4}$/, "a whole number of days, from 0 to 9999").default(7),
    targetHardware: TargetHardwareOption.default(new Map()),
    canaryEvery: CanaryEvery,
    canaryBound: List.pipe(CanaryBounds).default(() => CanaryBounds.parse([])),
    huggingFace: z.custom<HuggingFaceOptions | undefined>(),
    s3: z.custom<S3Options | undefined>(),
    publicUrl: PublicUrl.optional(),
    operators: z
      .string()
      .regex(/^(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}$/, "use HOST:PORT, such as 127.0.0.1:9464")
      .transform((text) => {
        const at = text.lastIndexOf(":");
        return { host: text.slice(0, at).replace(/^\[|\]$/g, ""), port: Number(text.slice(at + 1)) };
      })
      .optional(),
    drain: digits(/^\d{1,3}$/, "a number of seconds").default(0),
    proxies: digits(/^\d$/, "a number from 0 to 9").default(0),
    providers: z.custom<Provider[]>().default([]),
    mail: z.custom<MailOptions | undefined>(),
    launchers: z.custom<LauncherConfig[]>().default([]),
    discord: z.custom<DiscordOptions | undefined>(),
  })
  .refine(({ datasetsTo, huggingFace }) => huggingFace !== undefined || datasetsTo?.includes("hugging_face") !== true, {
    path: ["datasetsTo"],
    message: "for hugging_face, set KERNELBOT_HUGGING_FACE_TOKEN and KERNELBOT_HUGGING_FACE_REPO",
  })
  // Otherwise each server would generate its own key, and the set of keys could not be published in advance.
  .refine(({ databaseUrl, signingKey }) => databaseUrl === undefined || signingKey !== undefined, {
    path: ["signingKey"],
    message: `required with DATABASE_URL: the key with which all its servers sign receipts; ${MAKE_A_KEY}`,
  });

/** What requires the public URL, and why; see `publicUrlFor` of optional features. */
const PUBLIC_URL_FOR: readonly ((options: ServeOptions) => string | undefined)[] = [
  ({ providers }) =>
    providers.length > 0 ? "a sign-in provider: the public URL, to which the provider redirects" : undefined,
  // The host that a request names could be another site, which would receive the link's secret.
  ({ mail }) => mail && "KERNELBOT_SMTP_URL: the public URL, to which the links in mails lead",
  ({ launchers }) =>
    launchers.some(({ kind }) => kind !== "local")
      ? "launchers: the URL by which their runners reach this server"
      : undefined,
  ({ discord }) => discord && "a Discord bot: the public URL, to which its messages link",
];

const TokenOptions = z.object({
  ...Common,
  label: z.string().trim().min(1, "describe what the token is for").max(100),
  scopes: List.pipe(z.array(Scope).min(1)).default(["submit", "read"]),
  targets: Targets.default([]),
  account: z.string().trim().min(1).max(100).default("operator"),
});

const BackupOptions = z.object({
  ...Common,
  to: z.string().min(1, "name a new folder"),
  withoutObjects: z.boolean().default(false),
  s3: z.custom<S3Options | undefined>(),
});

const RestoreOptions = z.object({
  ...Common,
  from: z.string().min(1, "name the folder of a backup"),
  test: z.boolean().default(false),
  s3: z.custom<S3Options | undefined>(),
});

export type BackupOptions = z.infer<typeof BackupOptions>;
export type RestoreOptions = z.infer<typeof RestoreOptions>;
export type ServeOptions = z.infer<typeof ServeOptions> & FeatureOptions;
export type TokenOptions = z.infer<typeof TokenOptions>;
export type Command =
  | { name: "backup"; options: BackupOptions }
  | { name: "restore"; options: RestoreOptions }
  | { name: "help" }
  | { name: "serve"; options: ServeOptions }
  | { name: "token"; options: TokenOptions }
  | { name: "feature"; options: z.infer<z.ZodObject<typeof Common>>; load: ServerCommand["load"] };

/** Values of options by the names of the schemas, which accept or refuse them. */
type Values = Record<string, unknown>;

/**
 * Parses the command line and the environment.
 * @throws KernelBotError `bad_request` that names every invalid option.
 */
export function readCommand(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const { values, positionals } = parseFlags(args);
  const [name = "serve", ...rest] = positionals;
  if (values.help === true) return { name: "help" };
  if (rest.length > 0) throw usage(`${quote(rest[0] ?? "")}: no argument expected after ${name}`);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw usage(`unknown command ${quote(name)}; use ${Object.keys(COMMANDS).join(", ")}`);
  const known = { ...command.options, ...COMMON_OPTIONS };
  const foreign = Object.keys(values).find((option) => !Object.hasOwn(known, option));
  if (foreign !== undefined) throw usage(`--${foreign} is not an option of ${name}`);
  const added = Object.hasOwn(SERVER_COMMANDS, name) ? SERVER_COMMANDS[name] : undefined;
  const raw: Values = {
    ...optionValues(known, values, env),
    databaseUrl: databaseUrlIn(env),
    log: env.KERNELBOT_LOG,
    s3: name === "token" || added !== undefined ? undefined : readS3Options(env),
  };
  if (added !== undefined) {
    const options = parsed(z.object({ ...added.shape, ...Common }), raw);
    return { name: "feature", options, load: added.load };
  }
  if (name === "token") return { name, options: parsed(TokenOptions, raw) };
  if (name === "backup") return { name, options: parsed(BackupOptions, raw) };
  if (name === "restore") return { name, options: parsed(RestoreOptions, raw) };
  const without = List.parse(raw.without ?? "");
  const features = FEATURE_OPTIONS.filter(({ feature }) => !without.includes(feature));
  return {
    name: "serve",
    options: parsed(serveOptionsWith(features), {
      ...raw,
      sampleSuite: raw.sampleSuite ?? (raw.problems === undefined ? "yes" : "no"),
      localRunner: values["local-runner"]?.join(",") ?? env.KERNELBOT_LOCAL_RUNNER,
      targetHardware: values["target-hardware"] ?? env.KERNELBOT_TARGET_HARDWARE?.split(";"),
      launchers: launchersIn(values.launchers ?? env.KERNELBOT_LAUNCHERS),
      archives: env.KERNELBOT_ARCHIVES,
      huggingFace: readHuggingFaceOptions(env),
      providers: readProviders(env),
      mail: readMailOptions(env),
      discord: readDiscordOptions(env),
      ...(Object.assign({}, ...features.map(({ read }) => read?.(env))) as FeatureOptions),
    }),
  };
}

/** Returns the schema of the options of `serve` with those of the given features. */
function serveOptionsWith(features: readonly FeatureOptionDefinitions[]): z.ZodType<ServeOptions> {
  const shape = Object.assign({}, ...features.map((each) => each.shape)) as z.ZodRawShape;
  const schema = ServeOptions.safeExtend(shape) as unknown as z.ZodType<ServeOptions>;
  return schema.superRefine((options, context) => {
    if (options.publicUrl !== undefined) return;
    for (const publicUrlFor of [...PUBLIC_URL_FOR, ...features.map((each) => each.publicUrlFor)]) {
      const why = publicUrlFor?.(options);
      if (why !== undefined) context.addIssue({ code: "custom", path: ["publicUrl"], message: `required with ${why}` });
    }
  });
}

/** Returns the values by the names of the schemas: those of the command line, else of the environment variables. */
function optionValues(definitions: OptionDefinitions, flags: Values, env: NodeJS.ProcessEnv): Values {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, { environment }]) => [
      name.replace(/-./g, ([, letter = ""]) => letter.toUpperCase()),
      flags[name] ?? (environment === undefined ? undefined : env[environment]),
    ]),
  );
}

function launchersIn(file: string | undefined): LauncherConfig[] | undefined {
  return file === undefined || file === "" ? undefined : readLaunchers(file);
}

/**
 * Returns the default data directory: it survives a reboot, and the operating-system user of the embedded database can
 * access it.
 */
export function defaultDataDir(env: NodeJS.ProcessEnv, uid = process.getuid?.()): string {
  if (uid === 0) return "/var/lib/kernelbot";
  return join(env.XDG_DATA_HOME || join(homedir(), ".local/share"), "kernelbot");
}

/** Returns the address of the database, which contains its password and may therefore be in a file. */
function databaseUrlIn({ DATABASE_URL: url, DATABASE_URL_FILE: file }: NodeJS.ProcessEnv): string | undefined {
  if (url !== undefined || file === undefined) return url;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw usage(`DATABASE_URL_FILE ${quote(file)}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Options of all commands, with those of optional features. */
const ALL_OPTIONS: object = Object.assign({}, ...Object.values(COMMANDS).map(({ options }) => options)) as object;

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: flagConfig({
        ...ALL_OPTIONS,
        ...SERVE_OPTIONS,
        ...BACKUP_OPTIONS,
        ...RESTORE_OPTIONS,
        ...TOKEN_OPTIONS,
        ...COMMON_OPTIONS,
      }),
    });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

function parsed<T>(schema: z.ZodType<T>, values: Values): T {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  throw usage(result.error.issues.map((issue) => `${nameOf(issue.path[0])}: ${issue.message}`).join("; "));
}

function nameOf(key: PropertyKey | undefined): string {
  if (key === "databaseUrl") return "DATABASE_URL";
  if (key === "log") return "KERNELBOT_LOG";
  return `--${String(key).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function usage(message: string): KernelBotError {
  return new KernelBotError("bad_request", message);
}
