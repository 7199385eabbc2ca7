/** Which site this is for a browser, and where a request comes from. */
import type { IncomingMessage } from "node:http";
import { KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import type { HttpEnv } from "./faces.ts";
import type { Site } from "./site.ts";

/** The origin that browsers see: `https://kernels.example.org`. */
export function originOf(c: Context<HttpEnv>, { publicUrl }: Site): string {
  return new URL(publicUrl ?? c.req.url).origin;
}

/** The address that a request comes from. What a client claims beyond the proxies that we know of counts for nothing. */
export function addressOf(c: Context<HttpEnv>, { proxies }: Site): string {
  const forwarded = (c.req.header("x-forwarded-for") ?? "").split(",").map((part) => part.trim());
  const told = proxies > 0 ? forwarded.at(-proxies) : undefined;
  if (told !== undefined && /^[0-9a-fA-F.:]{2,45}$/.test(told)) return told;
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  return incoming?.socket.remoteAddress ?? "unknown";
}

/**
 * Refuses what another site made a browser ask with our cookie (CSRF).
 *
 * A browser says itself where a request comes from, in headers that no page can set: `Sec-Fetch-Site` (not over plain http
 * but to this machine) and, with everything but GET, `Origin`. What changes something must bring proof that it is ours; a
 * browser too old to say so is refused. With that and SameSite=Lax a token in each form would add nothing. Reading needs
 * no proof, since the answer can be read by no other site: there are no CORS headers, and `cross-origin-resource-policy`
 * keeps it from being embedded.
 * @throws KernelBotError `forbidden`.
 */
export function requireSameOrigin(c: Context<HttpEnv>, site: Site): void {
  const fetchSite = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (fetchSite !== undefined) {
    if (fetchSite === "same-origin" || (isRead && fetchSite === "none")) return;
    throw crossSite("it was sent by another site");
  }
  if (origin === undefined ? isRead : origin === originOf(c, site)) return;
  throw crossSite(
    origin === undefined
      ? "the browser does not say which site sent it"
      : `it was sent by ${origin.slice(0, 100)}, and this is ${originOf(c, site)}; if that is the same, the operator must set KERNELBOT_PUBLIC_URL`,
  );
}

function crossSite(why: string): KernelBotError {
  return new KernelBotError("forbidden", `This request was refused: ${why}. Open the page here and try again.`);
}

/** The page of ours to go on to: a path here, so that no link of ours leads elsewhere. */
export function localPath(text: string | undefined, otherwise = "/"): string {
  const here = "http://here.invalid";
  const url = text?.startsWith("/") ? URL.parse(text, here) : null;
  // A browser takes what begins with two slashes, as `/.//host` becomes, for the address of another host.
  return url?.origin === here && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}` : otherwise;
}
