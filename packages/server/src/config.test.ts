import { mkdtempSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { defaultDataDir, readCommand } from "./config.ts";

function serveOptions(args: string[], env: NodeJS.ProcessEnv = {}) {
  const command = readCommand(["serve", ...args], env);
  if (command.name !== "serve") throw new Error(command.name);
  return command.options;
}

test("the server listens on loopback by default", () => {
  expect(serveOptions([])).toMatchObject({ host: "127.0.0.1", port: 8080, localRunner: [] });
});

test("the sample suite is offered with the problems that ship with KernelBot only, unless the operator chooses", () => {
  expect(serveOptions([]).sampleSuite).toBe(true);
  expect(serveOptions(["--problems", "mine"]).sampleSuite).toBe(false);
  expect(serveOptions(["--sample-suite", "no"]).sampleSuite).toBe(false);
  expect(serveOptions(["--problems", "mine"], { KERNELBOT_SAMPLE_SUITE: "yes" }).sampleSuite).toBe(true);
  expect(() => serveOptions(["--sample-suite", "maybe"])).toThrow(/^--sample-suite: /);
});

test("without a command, the server is started", () => {
  expect(readCommand([], {})).toMatchObject({ name: "serve", options: { port: 8080 } });
  expect(readCommand(["--port", "9000"], {})).toMatchObject({ name: "serve", options: { port: 9000 } });
  expect(readCommand(["--help"], {})).toEqual({ name: "help" });
});

test("the address of the database can be in a file", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "kernelbot-config-"));
  const file = join(folder.path, "database-url");
  writeFileSync(file, "postgres://x/y\n");
  const backup = readCommand(["backup", "--to", "x"], { DATABASE_URL_FILE: file });
  expect(backup).toMatchObject({ options: { databaseUrl: "postgres://x/y" } });
  expect(() => serveOptions([], { DATABASE_URL_FILE: "/nowhere" })).toThrow(/^DATABASE_URL_FILE "\/nowhere": ENOENT/);
});

test("options can come from the environment, and the command line takes precedence", () => {
  const env = {
    KERNELBOT_HOST: "0.0.0.0",
    KERNELBOT_PORT: "9000",
    KERNELBOT_LOCAL_RUNNER: "cpu, H100",
    DATABASE_URL: "postgres://x/y",
    KERNELBOT_SIGNING_KEY: "/run/secrets/key.pem",
  };
  expect(serveOptions(["--port", "0"], env)).toMatchObject({
    host: "0.0.0.0",
    port: 0,
    localRunner: ["cpu", "H100"],
    databaseUrl: "postgres://x/y",
    signingKey: "/run/secrets/key.pem",
  });
});

test("accounts and clients have limits by default, which the operator can lift", () => {
  expect(serveOptions([])).toMatchObject({
    limits: { rankedPerHour: 200, rankedConcurrent: 100, profileConcurrent: 20 },
    clientLimits: { connections: 512, streams: 256, uploads: 32, requests: 100 },
  });
  expect(serveOptions(["--limits", "ranked_per_hour=5"]).limits).toEqual({ rankedPerHour: 5 });
  expect(serveOptions(["--limits", "none"]).limits).toEqual({});
  const limits = serveOptions(["--client-limits", "streams=1000, requests=5"]).clientLimits;
  expect(limits).toEqual({ connections: 512, streams: 1000, uploads: 32, requests: 5 });
  expect(serveOptions([], { KERNELBOT_CLIENT_LIMITS: "none" }).clientLimits.streams).toBe(Infinity);
  for (const wrong of ["streams", "streams=0", "tea=1", "streams=1 uploads=2"]) {
    expect(() => serveOptions(["--client-limits", wrong])).toThrow(/^--client-limits: ".*" is not a limit of clients/);
  }
});

test("profile files are kept for 30 days by default", () => {
  expect(serveOptions([]).keepArtifacts).toBe(30);
  expect(serveOptions(["--keep-artifacts", "7"], { KERNELBOT_KEEP_ARTIFACTS: "90" }).keepArtifacts).toBe(7);
  expect(serveOptions([], { KERNELBOT_KEEP_ARTIFACTS: "90" }).keepArtifacts).toBe(90);
  for (const days of ["0", "-1", "1.5", "month"]) {
    expect(() => serveOptions([`--keep-artifacts=${days}`])).toThrow(/^--keep-artifacts: use a whole number of days/);
  }
});

test("canary drift is limited to 10 % for accelerators by default, unlimited for processors, and configurable per target", () => {
  const bounds = (args: string[]) => ["H100", "cpu", "cpu-epyc"].map(serveOptions(args).canaryBound);
  expect(bounds([])).toEqual([0.1, null, null]);
  expect(bounds(["--canary-bound", "5,cpu=25"])).toEqual([0.05, 0.25, null]);
  expect(bounds(["--canary-bound", "0"])).toEqual([null, null, null]);
  expect(() => bounds(["--canary-bound", "cpu=much"])).toThrow(/^--canary-bound: use PERCENT or TARGET=PERCENT/);
});

test("hardware of custom targets is matched by complete patterns", () => {
  const { targetHardware } = serveOptions(["--target-hardware", "lab=Tenstorrent n300.*"]);
  expect(targetHardware.get("lab")?.test("Tenstorrent n300 L")).toBe(true);
  expect(targetHardware.get("lab")?.test("a Tenstorrent n300")).toBe(false);
  for (const wrong of ["lab", "=x", "lab=("]) {
    expect(() => serveOptions(["--target-hardware", wrong])).toThrow(/^--target-hardware: /);
  }
});

const GITHUB = { KERNELBOT_GITHUB_CLIENT_ID: "client", KERNELBOT_GITHUB_CLIENT_SECRET: "hush" };
const PUBLIC = { KERNELBOT_PUBLIC_URL: "https://kernels.example.org/" };

test("a sign-in provider has an id, a secret and configurable endpoints", () => {
  const url = "http://127.0.0.1:1/token";
  const options = serveOptions([], { ...GITHUB, ...PUBLIC, KERNELBOT_GITHUB_TOKEN_URL: url });
  expect(options).toMatchObject({ publicUrl: "https://kernels.example.org", proxies: 0 });
  expect(options.providers).toMatchObject([
    { name: "github", authorizeUrl: "https://github.com/login/oauth/authorize", tokenUrl: url },
  ]);
});

test("errors in a provider's configuration name the variable and hide the secret", () => {
  const wrong = { KERNELBOT_GOOGLE_CLIENT_ID: "x", KERNELBOT_GITHUB_USER_URL: "file:///etc/passwd" };
  const read = () => serveOptions([], { ...GITHUB, ...PUBLIC, ...wrong });
  expect(read).toThrow(
    /KERNELBOT_GITHUB_USER_URL: must be an http or https URL; KERNELBOT_GOOGLE_CLIENT_SECRET: must be set together with/,
  );
  expect(read).not.toThrow(/hush/);
});

test("an OpenID Connect issuer has an address, an id and a secret, over https except on loopback", () => {
  const oidc = (issuer: string, more = {}) => ({
    ...PUBLIC,
    ...{ KERNELBOT_OIDC_ISSUER: issuer, KERNELBOT_OIDC_CLIENT_ID: "client", KERNELBOT_OIDC_CLIENT_SECRET: "hush" },
    ...more,
  });
  for (const issuer of ["https://login.example.edu/realms/main", "http://127.0.0.1:8081/realm", "http://[::1]:80"]) {
    expect(serveOptions([], oidc(issuer)).providers).toMatchObject([
      { name: "oidc", label: "single sign-on", issuer, scope: "openid profile" },
    ]);
  }
  for (const wrong of ["http://login.example.edu", "https://login.example.edu/?a=b", "login.example.edu"]) {
    expect(() => serveOptions([], oidc(wrong))).toThrow(/KERNELBOT_OIDC_ISSUER: must be an https URL without query/);
  }
  expect(() => serveOptions([], oidc("", { KERNELBOT_OIDC_SCOPES: "email" }))).toThrow(
    /KERNELBOT_OIDC_ISSUER: must be set together with KERNELBOT_OIDC_CLIENT_ID and KERNELBOT_OIDC_CLIENT_SECRET; KERNELBOT_OIDC_SCOPES: must contain openid/,
  );
});

test("sign-in by e-mail requires the public URL, to which the mails link", () => {
  const mail = { KERNELBOT_SMTP_URL: "smtp://mail", KERNELBOT_MAIL_FROM: "a@example.org" };
  expect(() => serveOptions([], mail)).toThrow(/^--public-url: required with KERNELBOT_SMTP_URL/);
  expect(serveOptions([], { ...mail, ...PUBLIC }).mail).toMatchObject({ from: { address: "a@example.org" } });
});

test("a sign-in provider requires the public URL, to which it redirects", () => {
  expect(() => serveOptions([], GITHUB)).toThrow(/^--public-url: required with a sign-in provider/);
  expect(() => serveOptions(["--public-url", "https://host/path"])).toThrow(/use https:\/\/HOST, without a path/);
});

test("a shared database requires a configured signing key, so that servers do not generate different ones", () => {
  expect(() => serveOptions([], { DATABASE_URL: "postgres://x/y" })).toThrow(
    /^--signing-key: required with DATABASE_URL: the key .* openssl genpkey/,
  );
});

test("reports all invalid options at once, by name", () => {
  expect(() => serveOptions(["--port", "http", "--local-runner", "a b"], { KERNELBOT_LOG: "loud" })).toThrow(
    /^KERNELBOT_LOG: .*; --port: use a number; --local-runner: use letters/,
  );
});

test.each([
  [["serv"], /unknown command "serv"; use serve, token, backup, restore, adopt/],
  [["serve", "now"], /"now": no argument expected after serve/],
  [["serve", "--prot", "1"], /--prot/],
  [["token", "--label", "ci", "--port", "80"], /^--port is not an option of token/],
  [["token", "--scopes", "root"], /--label: .*; --scopes: .*submit/],
])("%j is refused with a sentence", (args, sentence) => {
  expect(() => readCommand(args, {})).toThrow(sentence);
});

test("a token can submit and read by default", () => {
  expect(readCommand(["token", "--label", "ci"], {})).toMatchObject({
    name: "token",
    options: { label: "ci", scopes: ["submit", "read"], targets: [], account: "operator" },
  });
});

test("state is kept in the user's data directory", () => {
  expect(defaultDataDir({ XDG_DATA_HOME: "/home/ada/data" }, 1000)).toBe("/home/ada/data/kernelbot");
});

test("root's state is kept where the database's user can access it", () => {
  expect(defaultDataDir({ XDG_DATA_HOME: "/root/data" }, 0)).toBe("/var/lib/kernelbot");
});

test("launchers are configured in a file, and require the public URL unless their runners are local", () => {
  const file = (kind: string, more = ""): string => {
    const path = join(mkdtempSync(join(inject("scratch"), "launchers-")), "launchers.toml");
    writeFileSync(path, `[launchers.a]\nkind = "${kind}"\n${more}\n[launchers.a.targets.cpu]\n`);
    return path;
  };
  expect(serveOptions(["--launchers", file("local")]).launchers).toMatchObject([{ name: "a", kind: "local" }]);
  const cluster = { KERNELBOT_LAUNCHERS: file("slurm", 'host = "login"') };
  expect(serveOptions([], { ...PUBLIC, ...cluster }).launchers).toMatchObject([{ name: "a", kind: "slurm" }]);
  expect(() => serveOptions([], cluster)).toThrow("--public-url: required with launchers: the URL by which");
});

test("snapshots are created at the configured interval, and published where configured", () => {
  expect(serveOptions([])).toMatchObject({ datasetsKeep: 10, huggingFace: undefined });
  const hub = { KERNELBOT_HUGGING_FACE_TOKEN: "hf_secret", KERNELBOT_HUGGING_FACE_REPO: "lab/kernels" };
  const args = ["--datasets-every", "24", "--datasets-to", "hugging_face, object_store", "--datasets-keep", "3"];
  expect(serveOptions(args, hub)).toMatchObject({
    datasetsEvery: 24,
    datasetsTo: ["hugging_face", "object_store"],
    datasetsKeep: 3,
    huggingFace: { token: "hf_secret", repository: "lab/kernels", hubUrl: "https://huggingface.co" },
  });
  expect(() => serveOptions(args)).toThrow(/--datasets-to: for hugging_face, set KERNELBOT_HUGGING_FACE_TOKEN/);
});

test("errors in a data set's configuration name the variable and hide the token", () => {
  const env = { KERNELBOT_HUGGING_FACE_TOKEN: "secret", KERNELBOT_HUGGING_FACE_REPO: "kernels" };
  expect(() => serveOptions([], env)).toThrow(
    'KERNELBOT_HUGGING_FACE_TOKEN: use a Hugging Face access token, which begins with hf_; KERNELBOT_HUGGING_FACE_REPO: "kernels" must have the form OWNER/NAME',
  );
});

test("the operators' address is a host with a port, also IPv6, and unset by default", () => {
  const operators = (text?: string) => {
    const command = readCommand(["serve"], text === undefined ? {} : { KERNELBOT_OPERATORS: text });
    return command.name === "serve" ? command.options.operators : null;
  };
  expect(operators()).toBeUndefined();
  expect(operators("127.0.0.1:9464")).toEqual({ host: "127.0.0.1", port: 9464 });
  expect(operators("[::1]:9464")).toEqual({ host: "::1", port: 9464 });
  expect(() => operators("9464")).toThrow(/--operators: use HOST:PORT/);
});

test("backup requires a destination folder and restore a source folder", () => {
  expect(() => readCommand(["backup"], {})).toThrow(/--to/);
  expect(() => readCommand(["restore"], {})).toThrow(/--from/);
  expect(readCommand(["backup", "--to", "there", "--without-objects"], {})).toMatchObject({
    name: "backup",
    options: { to: "there", withoutObjects: true },
  });
});
