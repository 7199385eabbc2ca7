import type { LtiAddresses } from "../messages.ts";

/** Returns the addresses with which a server is registered at a platform. */
export function ltiAddresses(origin: string): LtiAddresses {
  const launchUrl = `${origin}/lti/launch`;
  return { launchUrl, deepLinkingUrl: launchUrl, loginUrl: `${origin}/lti/login`, jwksUrl: `${origin}/lti/jwks` };
}

/** Returns the link that the administrator of a platform enters there to register this server. */
export function registrationUrl(origin: string, secret: string): string {
  return `${origin}/lti/register?token=${secret}`;
}
