import type { Feature } from "../feature.ts";
import { MINUTE_MS } from "../jobs/intervals.ts";
import { deleteExpiredSignIns } from "./delete-expired.ts";
import { openMailer } from "./email/mailer.ts";
import { applyGroupRules, expireGroups } from "./groups.ts";
import { fillSkeletons } from "./lookalikes.ts";
import { discoverIssuer } from "./oidc.ts";
import { AUTH_TABLES } from "./personal-data.ts";
import type { Provider } from "./providers.ts";
import { auditExportEndpoint, auditExportPage } from "./routes/audit-export.ts";
import { devicePages } from "./routes/device-pages.ts";
import { deviceEndpoints } from "./routes/device.ts";
import { emailPages } from "./routes/email-pages.ts";
import { signInPages } from "./routes/sign-in-pages.ts";

export const auth: Feature = {
  name: "auth",
  personalData: AUTH_TABLES,
  endpoints: [auditExportEndpoint, ...deviceEndpoints],
  pages: [...signInPages, ...emailPages, auditExportPage, ...devicePages],
  async prepare({ database, options, patiently }) {
    await patiently(() => fillSkeletons(database));
    await patiently(() => applyGroupRules(database, issuerOf(options)?.groups ?? null));
  },
  jobs({ database, options }) {
    const issuer = issuerOf(options);
    return [
      // Expired rows are rejected anyway, so deleting them can wait.
      { name: "sweep sign-ins", everyMs: MINUTE_MS, run: () => deleteExpiredSignIns(database) },
      ...(issuer === undefined
        ? []
        : [{ name: "expire groups", everyMs: MINUTE_MS, run: () => expireGroups(database, issuer.maxHours) }]),
    ];
  },
  async start({ options, log }) {
    const issuer = issuerOf(options);
    // Reports a wrong address at the start; the button tries again.
    if (issuer !== undefined)
      void discoverIssuer(issuer).catch((err: unknown) => log.warn({ err }, "issuer not reached"));
    if (options.mail === undefined) return {};
    const mailer = await openMailer(options.mail, log);
    return { stop: () => mailer.close(), provides: { site: { ...options, mailer } } };
  },
};

function issuerOf({ providers }: { providers: readonly Provider[] }) {
  return providers.find((provider) => provider.name === "oidc");
}
