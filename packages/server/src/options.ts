/** Definitions of the options and environment variables of `kernelbot-server`; `config.ts` parses them. */
import type { OptionDefinitions, ReferenceSection } from "@kernelbot/core";
import { FEATURE_OPTIONS } from "@kernelbot/features/serve-options.ts";
import { SERVER_COMMANDS } from "@kernelbot/features/server-cli.ts";
import type { FeatureOptionDefinitions } from "./feature-options.ts";

/** Options of all commands. */
export const COMMON_OPTIONS = {
  data: {
    argument: "DIR",
    environment: "KERNELBOT_DATA",
    default: "~/.local/share/kernelbot, for root /var/lib/kernelbot",
    help: "data directory: the embedded database, artifacts, snapshots and the signing key",
  },
  help: { short: "h", help: "show this help" },
} as const;

/** Options of `serve`, without those of optional features. */
export const SERVE_OPTIONS = {
  host: {
    argument: "HOST",
    environment: "KERNELBOT_HOST",
    default: "127.0.0.1",
    help: "address to listen on",
  },
  port: {
    argument: "PORT",
    environment: "KERNELBOT_PORT",
    default: "8080",
    help: "port to listen on; 0 for any free one",
  },
  "public-url": {
    argument: "URL",
    environment: "KERNELBOT_PUBLIC_URL",
    help: "address that people and runners use, such as https://kernels.example.org",
  },
  proxies: {
    argument: "N",
    environment: "KERNELBOT_PROXIES",
    default: "0",
    help: "number of proxies in front of the server whose X-Forwarded-For is trusted",
  },
  operators: {
    argument: "HOST:PORT",
    environment: "KERNELBOT_OPERATORS",
    default: "none",
    help: "address for operators, with /metrics, /readyz and /healthz; the site's proxy must not lead there",
  },
  drain: {
    argument: "SECONDS",
    environment: "KERNELBOT_DRAIN",
    default: "0",
    help: "how long a server that is stopping still accepts requests while /readyz reports that it is not ready; behind a proxy, longer than the proxy takes to notice",
  },
  problems: {
    argument: "DIR",
    environment: "KERNELBOT_PROBLEMS",
    default: "the problems that ship with KernelBot",
    help: "folder of problem sets",
  },
  "sample-suite": {
    argument: "yes|no",
    environment: "KERNELBOT_SAMPLE_SUITE",
    default: "yes, and no with --problems",
    help: "offer the KernelBench suite that ships with KernelBot, and judge a sample entry when a runner for cpu is online",
  },
  "local-runner": {
    argument: "TARGET",
    repeatable: true,
    environment: "KERNELBOT_LOCAL_RUNNER",
    help: "also run a runner for this target on this machine; in the variable, separated by commas",
  },
  "unsafe-no-sandbox": { help: "let local runners judge without the sandbox; every result is marked" },
  launchers: {
    argument: "FILE",
    environment: "KERNELBOT_LAUNCHERS",
    help: "launchers that start runners when runs are queued: docs/guides/start-runners-on-demand.md",
  },
  "target-hardware": {
    argument: "TARGET=PATTERN",
    repeatable: true,
    environment: "KERNELBOT_TARGET_HARDWARE",
    help: "hardware of a target with a name of your own: a regular expression for the whole device name that the driver reports; in the variable, separated by semicolons",
  },
  "canary-every": {
    argument: "MINUTES",
    environment: "KERNELBOT_CANARY_EVERY",
    default: "60",
    help: "interval after which an idle runner times the canary again",
  },
  "canary-bound": {
    argument: "BOUNDS",
    environment: "KERNELBOT_CANARY_BOUND",
    default: "10, and no bound for processors",
    help: "drift in percent beyond which a runner is paused, separated by commas: 10 for all accelerators, cpu=25 for a target, 0 for no bound",
  },
  without: {
    argument: "NAMES",
    environment: "KERNELBOT_WITHOUT",
    default: "all features",
    help: "optional features that are switched off, separated by commas, such as kernelgym,openenv: the names of the folders in features/",
  },
  limits: {
    argument: "LIMITS",
    environment: "KERNELBOT_LIMITS",
    default: "in docs/reference/limits.md",
    help: "limits of an account where boards and competitions set none, such as ranked_per_hour=20,test_concurrent=4,ranked_gpu_seconds_per_day=3600; none for no limits",
  },
  "client-limits": {
    argument: "LIMITS",
    environment: "KERNELBOT_CLIENT_LIMITS",
    default: "connections=512,streams=256,uploads=32,requests=100",
    help: "limits of a client (an account, or an address without an account): open connections, streams and uploads, and requests per second; none for no limits",
  },
  "evaluation-limits": {
    argument: "LIMITS",
    environment: "KERNELBOT_EVALUATION_LIMITS",
    default: "open=5000,hour=100000,queue=50000",
    help: "limits of evaluations: queued and running ones of an account, all of an account within an hour, and queued and running ones of the server",
  },
  "keep-evaluations": {
    argument: "DAYS",
    environment: "KERNELBOT_KEEP_EVALUATIONS",
    default: "7",
    help: "days after which ended evaluations are deleted, with their sources and results",
  },
  "keep-unranked": {
    argument: "DAYS",
    environment: "KERNELBOT_KEEP_UNRANKED",
    default: "forever",
    help: "days after which the sources, outputs and samples of submissions in another mode than ranked are deleted; those with a licence are kept",
  },
  "rerun-top": {
    argument: "N",
    environment: "KERNELBOT_RERUN_TOP",
    default: "0",
    help: "run the first N entries of each board again on fresh seeds, in the background",
  },
  "private-webhooks": {
    help: "let webhooks and registrations of learning platforms reach private networks, any port and plain http",
  },
  "signing-key": {
    argument: "FILE",
    environment: "KERNELBOT_SIGNING_KEY",
    default: "generated in the data directory",
    help: "Ed25519 key that signs receipts; required with DATABASE_URL",
  },
  "keep-artifacts": {
    argument: "DAYS",
    environment: "KERNELBOT_KEEP_ARTIFACTS",
    default: "30",
    help: "days after which the files of profiles are deleted",
  },
  "datasets-every": {
    argument: "HOURS",
    environment: "KERNELBOT_DATASETS_EVERY",
    default: "no automatic snapshots",
    help: "make a snapshot of all ended public competitions when something changed, at most this often",
  },
  "datasets-to": {
    argument: "PLACES",
    environment: "KERNELBOT_DATASETS_TO",
    default: "hugging_face if it is configured",
    help: "where automatic snapshots are published, separated by commas: hugging_face, object_store",
  },
  "datasets-keep": {
    argument: "N",
    environment: "KERNELBOT_DATASETS_KEEP",
    default: "10",
    help: "number of newest snapshots that keep their files",
  },
  "backup-to": {
    argument: "ADDRESS",
    environment: "KERNELBOT_BACKUP_TO",
    default: "no scheduled backups",
    help: "folder, or s3://BUCKET/PREFIX, in which scheduled backups are made; the keys of the bucket are those of the object store",
  },
  "backup-every": {
    argument: "HOURS",
    environment: "KERNELBOT_BACKUP_EVERY",
    default: "24",
    help: "interval of scheduled backups",
  },
  "backup-at": {
    argument: "HH:MM",
    environment: "KERNELBOT_BACKUP_AT",
    default: "03:00",
    help: "time of day, in UTC, from which the intervals are counted",
  },
  "backup-keep": {
    argument: "N",
    environment: "KERNELBOT_BACKUP_KEEP",
    default: "7",
    help: "number of complete scheduled backups that are kept",
  },
  "backup-without-objects": {
    help: "scheduled backups contain only the database and snapshots, not the files of runs; for object stores with their own backup",
  },
  "restore-test-every": {
    argument: "DAYS",
    environment: "KERNELBOT_RESTORE_TEST_EVERY",
    default: "7",
    help: "interval after which the newest scheduled backup is restored into a scratch database and compared; 0 for never",
  },
} as const;

/** Options of `backup`. */
export const BACKUP_OPTIONS = {
  to: { argument: "ADDRESS", help: "new folder for the backup, or s3://BUCKET/PREFIX (required)" },
  "without-objects": {
    help: "back up only the database, not the files of runs; for object stores with their own backup",
  },
} as const;

/** Options of `restore`. */
export const RESTORE_OPTIONS = {
  from: { argument: "ADDRESS", help: "folder of the backup, or s3://BUCKET/PREFIX (required)" },
  test: {
    help: "restore into a scratch database in the data directory, compare numbers and hashes, and delete it; changes nothing else",
  },
} as const;

/** Options of `token`. */
export const TOKEN_OPTIONS = {
  label: { argument: "LABEL", help: "purpose of the token (required)" },
  scopes: {
    argument: "SCOPES",
    default: "submit,read",
    help: "scopes, separated by commas: submit, read, account, runner, admin",
  },
  targets: { argument: "TARGETS", help: "for the scope runner: targets to claim runs for, separated by commas" },
  account: { argument: "NAME", default: "operator", help: "account that owns the token" },
} as const;

/** Commands by name, with what each does in the imperative. COMMON_OPTIONS apply to all of them. */
export const COMMANDS: Readonly<Record<string, { about: string; options: OptionDefinitions }>> = {
  serve: {
    about: "Run the server until it is stopped (the default)",
    options: Object.assign({}, SERVE_OPTIONS, ...FEATURE_OPTIONS.map(({ options }) => options)) as OptionDefinitions,
  },
  token: { about: "Create a token and print it", options: TOKEN_OPTIONS },
  backup: { about: "Back up the database and the files while servers run", options: BACKUP_OPTIONS },
  restore: { about: "Restore a backup into an empty database or data directory", options: RESTORE_OPTIONS },
  ...SERVER_COMMANDS,
};

type Variables = NonNullable<FeatureOptionDefinitions["variables"]>;

/** Environment variables without an option, by subject. */
export const VARIABLES: Variables = {
  "Database and log": {
    DATABASE_URL: { default: "the embedded PostgreSQL", help: "address of a PostgreSQL server, version 15 or newer" },
    DATABASE_URL_FILE: { help: "file that contains DATABASE_URL, where that is not set" },
    KERNELBOT_LOG: { default: "warn", help: "log level: debug, info, warn, error or silent" },
    KERNELBOT_ARCHIVES: {
      default: "https://codeload.github.com",
      help: "address from which the archives of `update-problems` come",
    },
  },
  "Outgoing proxy": {
    HTTPS_PROXY: { help: "proxy for outgoing connections to https addresses: docs/guides/use-an-outgoing-proxy.md" },
    HTTP_PROXY: { help: "proxy for outgoing connections to http addresses" },
    NO_PROXY: {
      default: "this machine only",
      help: "hosts that are reached directly, separated by commas, such as `.example.org,10.0.0.7`",
    },
    NODE_EXTRA_CA_CERTS: { help: "file of further certificate authorities, in PEM" },
  },
  "Object store": {
    KERNELBOT_STORE: { default: "the data directory", help: "bucket for files, as s3://BUCKET or s3://BUCKET/PREFIX" },
    KERNELBOT_STORE_PUBLIC_URL: { default: "the endpoint", help: "address of the service for browsers" },
    AWS_ACCESS_KEY_ID: { help: "key of the bucket, and of a bucket for backups" },
    AWS_SECRET_ACCESS_KEY: { help: "its secret" },
    AWS_SESSION_TOKEN: { help: "session token of temporary keys" },
    AWS_REGION: { default: "AWS_DEFAULT_REGION, else us-east-1", help: "region of the bucket" },
    AWS_ENDPOINT_URL_S3: {
      default: "AWS_ENDPOINT_URL, else Amazon S3",
      help: "address of another service with the same API, such as MinIO, R2 or Ceph",
    },
  },
  "Sign-in": {
    KERNELBOT_SMTP_URL: {
      help: "mail server that sends sign-in links, as smtp://USER:PASSWORD@HOST:PORT (STARTTLS) or smtps://…; without it, no sign-in by e-mail",
    },
    KERNELBOT_MAIL_FROM: { help: "sender of these mails, such as `KernelBot <kernelbot@example.org>`" },
    KERNELBOT_MAIL_DOMAINS: {
      default: "every domain",
      help: "domains whose addresses can sign in, separated by commas, such as `example.edu,cs.example.edu`",
    },
    "KERNELBOT_{DISCORD,GITHUB,GOOGLE}_CLIENT_ID": { help: "client id of the registered OAuth application" },
    "KERNELBOT_{DISCORD,GITHUB,GOOGLE}_CLIENT_SECRET": { help: "its secret" },
    "KERNELBOT_{DISCORD,GITHUB,GOOGLE}_AUTHORIZE_URL": {
      default: "the provider's",
      help: "authorization endpoint of another server, such as GitHub Enterprise; likewise _TOKEN_URL and _USER_URL",
    },
    KERNELBOT_OIDC_ISSUER: {
      help: "OpenID Connect issuer, such as `https://login.example.edu/realms/main`, below which /.well-known/openid-configuration is",
    },
    KERNELBOT_OIDC_CLIENT_ID: { help: "client id of the application that is registered there" },
    KERNELBOT_OIDC_CLIENT_SECRET: { help: "its secret" },
    KERNELBOT_OIDC_NAME: { default: "single sign-on", help: "name of the issuer on the button *Sign in with …*" },
    KERNELBOT_OIDC_SCOPES: { default: "openid profile", help: "scopes, separated by spaces" },
    KERNELBOT_OIDC_GROUPS_CLAIM: {
      default: "groups",
      help: "claim that lists the groups of a user; they are read if this or one of the next variables is set",
    },
    "KERNELBOT_OIDC_{ORGANISER,MODERATOR,ADMINISTRATOR}_GROUPS": {
      help: "groups whose members have the role, separated by semicolons",
    },
    KERNELBOT_OIDC_REQUIRED_GROUPS: {
      default: "everyone may",
      help: "groups of which a user must have one to sign in with the issuer, separated by semicolons",
    },
    KERNELBOT_OIDC_MAX_HOURS: {
      default: "720",
      help: "hours after a sign-in with the issuer at which its browser session ends, and the groups that it brought",
    },
  },
  "Discord bot": {
    KERNELBOT_DISCORD_BOT_TOKEN: { help: "token of the bot" },
    KERNELBOT_DISCORD_APPLICATION_ID: { help: "id of the application" },
    KERNELBOT_DISCORD_PUBLIC_KEY: {
      default: "interactions over the gateway",
      help: "public key of the application, for interactions over HTTP",
    },
    KERNELBOT_DISCORD_API_URL: { default: "https://discord.com/api", help: "address of Discord's API" },
    KERNELBOT_DISCORD_CDN_URL: { default: "https://cdn.discordapp.com", help: "address of attachments" },
  },
  "Hugging Face": {
    KERNELBOT_HUGGING_FACE_TOKEN: { help: "access token that may write to the data set" },
    KERNELBOT_HUGGING_FACE_REPO: { help: "data set, as OWNER/NAME" },
    KERNELBOT_HUGGING_FACE_URL: { default: "https://huggingface.co", help: "address of the hub" },
  },
  ...(Object.assign({}, ...FEATURE_OPTIONS.map(({ variables }) => variables)) as Variables),
};

export const SERVER_REFERENCE: readonly ReferenceSection[] = [
  ...Object.entries(COMMANDS).map(([name, { options }]) => ({ title: `kernelbot-server ${name}`, options })),
  { title: "All commands of kernelbot-server", options: COMMON_OPTIONS },
  ...Object.entries(VARIABLES).map(([title, variables]) => ({ title, variables })),
];
