/** Checks of the server: whether it answers, accepts this runner, and agrees on the time. */
import { formatProxy } from "@kernelbot/api/proxy";
import { quote, type Check, type Machine } from "@kernelbot/core";
import { reasonOf, sendRequest, type HttpResponse } from "../server/http-request.ts";
import { Refusal, ServerClient } from "../server/server-client.ts";
import type { DoctorOptions } from "./options.ts";

const TIMEOUT_MS = 15_000;
/** Deviation of the clock in seconds that is worth correcting. Servers report whole seconds. */
const CLOCK_SKEW_S = 10;

/**
 * Runs the checks for which there is a server. With a token and a target, asks it whether it would accept the runner.
 * @param machine Null where the tester does not start: the server then does not compare the hardware with the target.
 */
export async function serverChecks(
  { server, token, target, name }: DoctorOptions,
  machine: Machine | null,
): Promise<Check[]> {
  if (server === null) return [];
  const startedAt = Date.now();
  let response: HttpResponse;
  try {
    response = await sendRequest(new URL("healthz", server), {
      method: "GET",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const fix = `Try: curl -i ${new URL("healthz", server).href} on this machine, and correct --server, the firewall or the proxy`;
    return [
      {
        name: "server",
        ok: false,
        detail: `${server.href} cannot be reached (${reasonOf(error)})${formatProxy(process.env)}`,
        fix,
      },
    ];
  }
  const { status, headers } = response;
  if (status !== 200) {
    const { location } = headers;
    const detail = `${server.href} returned ${status}`;
    const fix =
      location === undefined
        ? "Use the address of a KernelBot server"
        : `Use the address that it redirects to: ${location}`;
    return [{ name: "server", ok: false, detail, fix }];
  }
  const clock = clockCheck(headers.date ?? null, (startedAt + Date.now()) / 2);
  const reachable: Check = { name: "server", ok: true, detail: `${server.href}${formatProxy(process.env)}`, fix: null };
  const accepts = await tokenCheck({ server, token, target, name }, machine);
  return [reachable, ...(clock === null ? [] : [clock]), ...(accepts === null ? [] : [accepts])];
}

type Runner = Pick<DoctorOptions, "token" | "target" | "name"> & { server: URL };

async function tokenCheck({ server, token, target, name }: Runner, machine: Machine | null): Promise<Check | null> {
  if (token === null) {
    const fix = `Create one with kernelbot runners add ${target ?? "TARGET"}; set KERNELBOT_RUNNER_TOKEN, or use --token-file FILE`;
    return { name: "token", ok: false, detail: "no token is given", fix };
  }
  if (target === null) return { name: "token", ok: true, detail: "not checked without --target", fix: null };
  try {
    const client = new ServerClient(server, token, () => undefined);
    const { tokenExpiresAt } = await client.check({ target, runner: name, machine }, AbortSignal.timeout(TIMEOUT_MS));
    const until = tokenExpiresAt === null ? "without an expiry" : `until ${tokenExpiresAt}`;
    const hardware = machine === null ? "; the hardware was not compared" : " on this hardware";
    return { name: "token", ok: true, detail: `valid for ${target} ${until}${hardware}`, fix: null };
  } catch (error) {
    const fix =
      !(error instanceof Refusal) || error.status === 404
        ? "Ask the server's operator: its log says what happened"
        : error.status === 401
          ? `Create a token: kernelbot runners add ${target}`
          : `Do what the message says, or create a token for ${quote(target)}: kernelbot runners add ${target}`;
    return { name: "token", ok: false, detail: (error as Error).message, fix };
  }
}

/** Compares the clock with the `Date` of a response; null where the server sends none. */
export function clockCheck(date: string | null, nowMs: number): Check | null {
  const serverMs = Date.parse(date ?? "");
  if (Number.isNaN(serverMs)) return null;
  const skewS = Math.round((nowMs - serverMs) / 1000);
  const isOff = Math.abs(skewS) > CLOCK_SKEW_S;
  const detail = isOff
    ? `${Math.abs(skewS)} s ${skewS < 0 ? "behind" : "ahead of"} the server`
    : "agrees with the server";
  // Leases are measured by the server alone; certificates, --end-at and --join depend on this clock.
  const fix = "Set the clock (timedatectl set-ntp true): certificates and --end-at depend on it";
  return { name: "clock skew", ok: true, detail, fix: isOff ? fix : null };
}
