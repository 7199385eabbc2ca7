/** API endpoints of the device authorization grant (RFC 8628). Request bodies are forms, as OAuth requires. */
import { api } from "@kernelbot/api";
import { DeviceCode, DeviceError, DeviceToken } from "@kernelbot/core";
import { askForDevice, DEVICE_CODE_S, pollDevice, type Polled } from "../device-grant.ts";
import { endpoint } from "../../http/endpoint.ts";
import { addressOf, originOf } from "../../http/origin.ts";

const WHY: Record<DeviceError["error"], string> = {
  authorization_pending: "Nobody has confirmed the code yet; ask again.",
  slow_down: "You ask too often; wait five seconds longer from now on.",
  access_denied: "It was denied.",
  expired_token: "The code has expired, was used, or is not known; begin again.",
};

export const deviceEndpoints = [
  endpoint(api.device.requestCode, async ({ c, services, body }) => {
    const asked = await askForDevice(services.database, body.scope, addressOf(c, services.site));
    const answer: DeviceCode = {
      device_code: asked.deviceCode,
      user_code: asked.userCode,
      verification_uri: `${originOf(c, services.site)}/device`,
      expires_in: DEVICE_CODE_S,
      interval: asked.intervalS,
    };
    return c.json(answer, 200, { "cache-control": "no-store" });
  }),

  endpoint(api.device.pollToken, async ({ c, services, body }) => {
    const polled: Polled = await pollDevice(services.database, body.device_code);
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
