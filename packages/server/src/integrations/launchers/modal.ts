/**
 * Runners as Modal sandboxes, by Modal's JavaScript SDK, which is installed only where it is used:
 *
 *     npm install --no-save modal@0.11.1
 *
 * Exactly this version, because the tests cover its protocol. A sandbox has the name of its launch, which Modal
 * requires to be unique in an app.
 */
import { KernelBotError } from "@kernelbot/core";
import { z } from "zod";
import { defineKind, targetOf } from "./kind.ts";
import { Refused, runnerArguments, TOKEN_VARIABLE, type Launcher } from "./launcher.ts";
import { FilePath, readSecret } from "./secret-file.ts";
import { TargetSettings } from "./settings.ts";

const Settings = z.strictObject({
  /** App of the sandboxes; created when it is missing. */
  app: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "use letters, digits and . - _")
    .default("kernelbot"),
  environment: z.string().optional(),
  /** Files with the id and the secret of a Modal token. */
  tokenIdFile: FilePath,
  tokenSecretFile: FilePath,
});

const Target = TargetSettings.extend({
  /** Image in a registry, which Modal caches. */
  image: z.string().min(1),
  /** GPU type and count, such as `H100` or `A100-80GB:2`. */
  gpu: z.string().min(1),
  cpu: z.number().positive().optional(),
  memoryMiB: z.int().positive().optional(),
  regions: z.array(z.string()).optional(),
});

/** The parts of the SDK that are used; its types are available only where it is installed. */
interface Modal {
  ModalClient: new (params: { tokenId: string; tokenSecret: string; environment?: string | undefined }) => Client;
  /** Errors by which Modal rejected a request. */
  InvalidError: ErrorClass;
  NotFoundError: ErrorClass;
  AlreadyExistsError: ErrorClass;
  ResourceExhaustedError: ErrorClass;
}
type ErrorClass = new (message?: string) => Error;
interface Client {
  apps: { fromName(name: string, params: { createIfMissing: boolean }): Promise<unknown> };
  images: { fromRegistry(tag: string): unknown };
  secrets: { fromObject(entries: Record<string, string>): Promise<unknown> };
  sandboxes: {
    create(app: unknown, image: unknown, params: Record<string, unknown>): Promise<Sandbox>;
    fromId(id: string): Promise<Sandbox>;
    fromName(app: string, name: string): Promise<Sandbox>;
  };
  close(): void;
}
interface Sandbox {
  sandboxId: string;
  /** Returns the exit code; null while the sandbox is running. */
  poll(): Promise<number | null>;
  terminate(): Promise<unknown>;
}

export const modal = defineKind({
  settings: Settings,
  target: Target,
  async open({ settings, targets }): Promise<Launcher> {
    const sdk = await load();
    const { app: appName, environment } = settings;
    const client = new sdk.ModalClient({
      tokenId: await readSecret(settings.tokenIdFile),
      tokenSecret: await readSecret(settings.tokenSecretFile),
      environment,
    });

    async function create(order: Parameters<Launcher["launch"]>[0]): Promise<string> {
      const target = targetOf(targets, order.target);
      const app = await client.apps.fromName(appName, { createIfMissing: true });
      const token = await client.secrets.fromObject({ [TOKEN_VARIABLE]: order.token ?? "" });
      const sandbox = await client.sandboxes.create(app, client.images.fromRegistry(target.image), {
        name: order.name,
        gpu: target.gpu,
        ...(target.cpu !== undefined && { cpu: target.cpu }),
        ...(target.memoryMiB !== undefined && { memoryMiB: target.memoryMiB }),
        ...(target.regions !== undefined && { regions: target.regions }),
        command: ["kernelbot-runner", ...runnerArguments(order, target)],
        secrets: [token],
        timeoutMs: 1000 * order.hardLimitS,
      });
      return sandbox.sandboxId;
    }

    return {
      usesProof: false,

      async launch(order, signal) {
        try {
          // The SDK waits up to 21 minutes for a machine; after an earlier abort the sandbox is found by its name.
          return await rejectOnAbort(signal, create(order));
        } catch (error) {
          throw isRefusal(sdk, error) ? new Refused(`Modal: ${(error as Error).message}`, { cause: error }) : error;
        }
      },

      async find(name, _, signal) {
        try {
          return (await rejectOnAbort(signal, client.sandboxes.fromName(appName, name))).sandboxId;
        } catch (error) {
          if (error instanceof sdk.NotFoundError) return null;
          throw error;
        }
      },

      async status(id, signal) {
        const sandbox = await client.sandboxes.fromId(id);
        const code = await rejectOnAbort(signal, sandbox.poll());
        return code === null ? { state: "running" } : { state: "ended", detail: `exit code ${code}` };
      },

      async cancel(id, signal) {
        const sandbox = await client.sandboxes.fromId(id);
        await rejectOnAbort(signal, sandbox.terminate());
      },

      close: () => client.close(),
    };
  },
});

async function load(): Promise<Modal> {
  const name: string = "modal";
  try {
    return (await import(name)) as Modal;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const advice = "a launcher of kind modal requires Modal's SDK; install it with: npm install --no-save modal@0.11.1";
    throw new KernelBotError("bad_request", advice, { cause: error });
  }
}

/**
 * gRPC codes after which nothing was created: INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION,
 * UNAUTHENTICATED.
 */
const REFUSED = new Set([3, 5, 7, 9, 16]);

function isRefusal(sdk: Modal, error: unknown): boolean {
  if (error instanceof sdk.ResourceExhaustedError || error instanceof sdk.InvalidError) return true;
  if (error instanceof sdk.NotFoundError) return true;
  return error instanceof Error && "code" in error && REFUSED.has(Number(error.code));
}

/** Rejects when the signal is aborted, because the SDK does not support signals; a later result is ignored. */
async function rejectOnAbort<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
