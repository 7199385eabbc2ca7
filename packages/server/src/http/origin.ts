/** The origin that browsers see, the client's address, and the defence against cross-site requests. */
import type { IncomingMessage } from "node:http";
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import type { HttpEnv } from "../services.ts";
import type { Site } from "./site.ts";

/** Returns the public origin: `https://kernels.example.org`. */
export function originOf(c: Context<HttpEnv>, { publicUrl }: Site): string {
  return new URL(publicUrl ?? c.req.url).origin;
}

/** Returns the client's address. X-Forwarded-For is trusted only as far as the number of configured proxies. */
export function addressOf(c: Context<HttpEnv>, { proxies }: Site): string {
  const forwarded = (c.req.header("x-forwarded-for") ?? "").split(",").map((part) => part.trim());
  const forwardedAddress = proxies > 0 ? forwarded.at(-proxies) : undefined;
  if (forwardedAddress !== undefined && /^[0-9a-fA-F.:]{2,45}$/.test(forwardedAddress)) return forwardedAddress;
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  return incoming?.socket.remoteAddress ?? "unknown";
}

/**
 * Rejects requests that another site made a browser send with this site's cookie (CSRF).
 *
 * Browsers state the origin of a request in headers that pages cannot set: `Sec-Fetch-Site` (over plain http only to
 * loopback) and, for everything but GET, `Origin`. A request that changes something must prove that it is same-origin;
 * browsers too old to send these headers are rejected. Together with SameSite=Lax, a token in each form would add
 * nothing. Reads need no proof, because no other site can read the response: there are no CORS headers, and
 * `cross-origin-resource-policy` prevents embedding.
 * @throws KernelBotError `forbidden`.
 */
export function requireSameOrigin(c: Context<HttpEnv>, site: Site): void {
  const fetchSite = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (fetchSite !== undefined) {
    if (fetchSite === "same-origin" || (isRead && fetchSite === "none")) return;
    throw crossSite("it came from another site");
  }
  if (origin === undefined ? isRead : origin === originOf(c, site)) return;
  throw crossSite(
    origin === undefined
      ? "the browser did not send its origin"
      : `it came from ${origin.slice(0, 100)}, but this site is ${originOf(c, site)}; if they are the same, the operator must set KERNELBOT_PUBLIC_URL`,
  );
}

function crossSite(why: string): KernelBotError {
  return new KernelBotError(
    "forbidden",
    `Cross-site request rejected: ${why}. Open the page on this site and try again.`,
  );
}

/**
 * Returns the path and query of a redirect target on this site, else `otherwise`, so that no link redirects to another
 * site.
 */
export function localPath(text: string | undefined, otherwise = "/"): string {
  const here = "http://here.invalid";
  const url = text?.startsWith("/") ? URL.parse(text, here) : null;
  // Browsers treat a path that begins with two slashes, which `/.//host` becomes, as the address of another host.
  return url?.origin === here && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}` : otherwise;
}
