/** API endpoints of the device authorization grant (RFC 8628). Request bodies are forms, as OAuth requires. */
import { DeviceCode, DeviceError, DevicePoll, DeviceRequest, DeviceToken } from "@kernelbot/core";
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
  endpoint({
    method: "post",
    path: "/device/code",
    summary: "Ask for a code that a person confirms in a browser (RFC 8628)",
    scope: null,
    body: DeviceRequest,
    isForm: true,
    answers: { 200: { description: "What to show, and what to poll with", schema: DeviceCode } },
    async handle({ c, services, body }) {
      const asked = await askForDevice(services.database, body.scope, addressOf(c, services.site));
      const answer: DeviceCode = {
        device_code: asked.deviceCode,
        user_code: asked.userCode,
        verification_uri: `${originOf(c, services.site)}/device`,
        expires_in: DEVICE_CODE_S,
        interval: asked.intervalS,
      };
      return c.json(answer, 200, { "cache-control": "no-store" });
    },
  }),

  endpoint({
    method: "post",
    path: "/device/token",
    summary: "Ask whether the code was confirmed",
    scope: null,
    body: DevicePoll,
    isForm: true,
    answers: {
      200: { description: "It was: the token, this once", schema: DeviceToken },
      400: { description: "Not yet, or not at all", schema: DeviceError },
    },
    async handle({ c, services, body }) {
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
    },
  }),
];
