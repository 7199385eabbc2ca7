/** API endpoints of the device authorization grant (RFC 8628). Request bodies are forms, as OAuth requires. */
import { api } from "@kernelbot/api";
import { DeviceCode, DeviceError, DeviceToken } from "@kernelbot/core";
import { startDeviceGrant, DEVICE_CODE_S, pollDevice, type PollResult } from "../device-grant.ts";
import { endpoint } from "../../http/endpoint.ts";
import { addressOf, originOf } from "../../http/origin.ts";

const WHY: Record<DeviceError["error"], string> = {
  authorization_pending: "The code has not been confirmed yet; poll again.",
  slow_down: "Polled too often; increase the interval by five seconds.",
  access_denied: "The request was denied.",
  expired_token: "The code is unknown, expired or already used; request a new one.",
};

export const deviceEndpoints = [
  endpoint(api.device.requestCode, async ({ c, services, body }) => {
    const grant = await startDeviceGrant(services.database, body.scope, addressOf(c, services.site));
    const answer: DeviceCode = {
      device_code: grant.deviceCode,
      user_code: grant.userCode,
      verification_uri: `${originOf(c, services.site)}/device`,
      expires_in: DEVICE_CODE_S,
      interval: grant.intervalS,
    };
    return c.json(answer, 200, { "cache-control": "no-store" });
  }),

  endpoint(api.device.pollToken, async ({ c, services, body }) => {
    const polled: PollResult = await pollDevice(services.database, body.device_code);
    c.header("cache-control", "no-store");
    if (polled.state !== "granted") {
      return c.json<DeviceError>({ error: polled.state, detail: WHY[polled.state], code: "bad_request" }, 400);
    }
    const { token, scopes, days } = polled;
    return c.json<DeviceToken>({
      access_token: token,
      token_type: "Bearer",
      scope: scopes.join(" "),
      expires_in: days * 86_400,
    });
  }),
];
