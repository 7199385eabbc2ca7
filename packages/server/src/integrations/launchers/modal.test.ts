/** Modal's SDK against a fake gRPC server with the messages of a launch. */
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Launcher } from "./launcher.ts";
import { ARGUMENTS, fileWith, launcherOf, ORDER, SIGNAL } from "@kernelbot/testing/launchers.ts";

/** The parts of gRPC that are used; it is a dependency of the SDK, and its types are not installed. */
interface Grpc {
  Server: new () => Server;
  ServerCredentials: { createInsecure(): unknown };
}
interface Server {
  register(path: string, handle: Handle, serialize: Bytes, deserialize: Bytes, kind: "unary"): void;
  bindAsync(address: string, credentials: unknown, done: (error: Error | null, port: number) => void): void;
  forceShutdown(): void;
}
type Bytes = (bytes: Buffer) => Buffer;
type Handle = (
  call: { request: Buffer; metadata: { getMap(): Record<string, unknown> } },
  answer: (error: { code: number; details: string } | null, bytes?: Buffer) => void,
) => void;

const grpc = loadGrpc();

/** Runs only where modal is installed, which `node scripts/setup.mjs --test` does. */
const testing = test.skipIf(grpc === null);

function loadGrpc(): Grpc | null {
  try {
    const sdk = createRequire(import.meta.url).resolve("modal");
    return createRequire(sdk)("@grpc/grpc-js") as Grpc;
  } catch {
    return null;
  }
}

/** Encodes a field of a protobuf message: a text, a nested message or a number below 128. */
function field(number: number, value: string | Buffer | number): Buffer {
  if (typeof value === "number") return Buffer.from([number << 3, value]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

const NOT_FOUND = { code: 5, details: "no such sandbox" };
const ENDED_WITH_3 = field(1, Buffer.concat([field(1, 2), field(3, 3)]));

/** Responses of the service by method: a message or a gRPC error. */
let answers: Record<string, Buffer | { code: number; details: string }>;
let calls: { method: string; request: string; credentials: unknown }[];
let server: Server;
let launcher: Launcher;

beforeAll(async () => {
  if (grpc === null) return;
  server = new grpc.Server();
  const same: Bytes = (bytes) => bytes;
  for (const method of Object.keys(usual())) {
    const handle: Handle = ({ request, metadata }, answer) => {
      const { "x-modal-token-id": id, "x-modal-token-secret": secret } = metadata.getMap();
      calls.push({ method, request: request.toString("latin1"), credentials: [id, secret] });
      const reply = answers[method] ?? NOT_FOUND;
      if (Buffer.isBuffer(reply)) answer(null, reply);
      else answer(reply);
    };
    server.register(`/modal.client.ModalClient/${method}`, handle, same, same, "unary");
  }
  const port = await new Promise<number>((done, fail) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? done(bound) : fail(error),
    );
  });
  process.env["MODAL_SERVER_URL"] = `http://127.0.0.1:${port}`;
});
beforeEach(async () => {
  if (grpc === null) return;
  [answers, calls] = [usual(), []];
  launcher = await launcherOf(`
kind = "modal"
tokenIdFile = "${fileWith("ak-1\n")}"
tokenSecretFile = "${fileWith("as-1\n")}"
[launchers.test.targets.H100]
image = "registry.example.org/kernelbot-runner-cuda:1"
gpu = "H100"
`);
});
afterEach(() => {
  if (grpc !== null) launcher.close?.();
});
afterAll(() => {
  delete process.env["MODAL_SERVER_URL"];
  if (grpc !== null) server.forceShutdown();
});

function usual(): Record<string, Buffer | { code: number; details: string }> {
  const claims = Buffer.from(JSON.stringify({ exp: 4_000_000_000 })).toString("base64url");
  return {
    AuthTokenGet: field(1, `x.${claims}.y`),
    AppGetOrCreate: field(1, "ap-1"),
    EnvironmentGetOrCreate: field(1, "en-1"),
    // The image is already built.
    ImageGetOrCreate: Buffer.concat([field(1, "im-1"), field(2, field(1, 1))]),
    SecretGetOrCreate: field(1, "st-1"),
    SandboxCreate: field(1, "sb-1"),
    SandboxGetTaskId: field(1, "ta-1"),
    SandboxGetTaskIdV2: field(1, "ta-1"),
    SandboxGetFromName: field(1, "sb-1"),
    SandboxGetFromNameV2: NOT_FOUND,
    SandboxWait: Buffer.alloc(0),
    SandboxWaitV2: Buffer.alloc(0),
    SandboxTerminate: Buffer.alloc(0),
    SandboxTerminateV2: Buffer.alloc(0),
  };
}

const requestOf = (method: string): string => calls.find((each) => each.method === method)?.request ?? "";

testing("creates a sandbox with GPU, image, name, and the token as a secret", async () => {
  expect(await launcher.launch(ORDER, SIGNAL)).toBe("sb-1");
  expect(requestOf("ImageGetOrCreate")).toContain("FROM registry.example.org/kernelbot-runner-cuda:1");
  expect(requestOf("SecretGetOrCreate")).toContain(ORDER.token);
  const request = requestOf("SandboxCreate");
  for (const each of ["ap-1", "im-1", "st-1", "H100", ORDER.name, "kernelbot-runner", ...ARGUMENTS]) {
    expect(request).toContain(each);
  }
  // Field 7, the timeout: 7200 s.
  expect(request).toContain(Buffer.from([7 << 3, 0xa0, 0x38]).toString("latin1"));
  expect(request).not.toContain(ORDER.token);
  expect(calls[0]?.credentials).toEqual(["ak-1", "as-1"]);
});

testing("reports Modal's error message", async () => {
  answers["SandboxCreate"] = { code: 7, details: "the workspace may use no H100" };
  await expect(launcher.launch(ORDER, SIGNAL)).rejects.toMatchObject({
    name: "Refused",
    message: expect.stringContaining("the workspace may use no H100") as string,
  });
});

testing("finds a sandbox by its name after the response was lost", async () => {
  expect(await launcher.find(ORDER.name, new Date(), SIGNAL)).toBe("sb-1");
  answers["SandboxGetFromName"] = NOT_FOUND;
  expect(await launcher.find(ORDER.name, new Date(), SIGNAL)).toBeNull();
});

testing("reports the state of a sandbox", async () => {
  expect(await launcher.status("sb-1", SIGNAL)).toEqual({ state: "running" });
  [answers["SandboxWait"], answers["SandboxWaitV2"]] = [ENDED_WITH_3, ENDED_WITH_3];
  expect(await launcher.status("sb-1", SIGNAL)).toEqual({ state: "ended", detail: "exit code 3" });
});

testing("cancelling terminates the sandbox", async () => {
  await launcher.cancel("sb-1", SIGNAL);
  expect(calls.map(({ method }) => method)).toContainEqual(expect.stringMatching(/^SandboxTerminate/));
});

testing("a request without a response is aborted by its signal", async () => {
  const stopped = new AbortController();
  // No machine is available yet, so the SDK polls.
  [answers["SandboxGetTaskId"], answers["SandboxGetTaskIdV2"]] = [Buffer.alloc(0), Buffer.alloc(0)];
  const launching = launcher.launch(ORDER, stopped.signal);
  await expect.poll(() => requestOf("SandboxCreate")).not.toBe("");
  stopped.abort(new Error("no answer in time"));
  await expect(launching).rejects.toThrow("no answer in time");
});
