/** Registration of a platform by itself in a real browser: in a frame of the platform, which the page closes. */
import { expect, test } from "vitest";
import { launchChromium, openPage } from "@kernelbot/testing/chromium.ts";
import { startFakePlatform } from "../testing/fake-platform.ts";
import { person } from "@kernelbot/testing/fixtures.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";
import { createRegistration } from "../registration.ts";
import { registrationUrl } from "./addresses.ts";

test("a platform registers this server in a frame, and is asked to close it", async () => {
  await using browser = await launchChromium();
  await using testServer = await openTestServer({ listening: true, privateWebhooks: true });
  await using platform = await startFakePlatform();
  const { database, url } = testServer;
  const root = await person(database, "root", ["read", "admin"], ["administrator"]);
  const { secret } = await createRegistration(database, root, { name: "Moodle", address: platform.url });
  const added = { openid_configuration: `${platform.url}/openid-configuration`, registration_token: "registration" };
  const link = `${registrationUrl(url, secret)}&${new URLSearchParams(added).toString()}`;
  const { page, complaints } = await openPage(browser, 1280);
  // Another site than the server's 127.0.0.1, so that the frame is cross-site.
  const site = platform.url.replace("127.0.0.1", "localhost");
  await page.goto(`${site}/course?src=${encodeURIComponent(link)}`);
  const message = page.evaluate(
    () => new Promise((resolve) => window.addEventListener("message", ({ data }) => resolve(data))),
  );
  await page.frameLocator("iframe").getByRole("button", { name: "Close" }).click();
  expect(await message).toEqual({ subject: "org.imsglobal.lti.close" });
  expect(complaints).toEqual([]);
});
