import { positiveInteger } from "@kernelbot/cli/src/command/arguments.ts";
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { defineGroup } from "@kernelbot/cli/src/command/group.ts";
import { defineRequest } from "@kernelbot/cli/src/request/request.ts";
import { oneLine } from "@kernelbot/cli/src/output/text.ts";
import { moment } from "@kernelbot/cli/src/render/format.ts";
import { ltiContracts } from "../contract.ts";
import { platformLines } from "./lines.ts";

const OPTIONS = {
  name: { type: "string", value: "NAME", help: "Name for pages and lists (required)" },
  issuer: { type: "string", value: "URL", help: "Platform ID, the issuer (required)" },
  "client-id": { type: "string", value: "ID", help: "Client ID (required)" },
  deployment: { type: "string", value: "ID", multiple: true, help: "Deployment ID (required; repeat it for several)" },
  "auth-url": { type: "string", value: "URL", help: "Authentication request URL (required)" },
  "token-url": { type: "string", value: "URL", help: "Access token URL (required)" },
  "keys-url": { type: "string", value: "URL", help: "Public keyset URL (required)" },
} as const;

const set = defineRequest({
  name: "admin lti set",
  options: OPTIONS,
  notes: [
    "Registers a learning platform (LTI 1.3), or replaces the one with the same issuer and client ID. The platform shows " +
      "these values after this server was added there as an external tool; kernelbot admin lti list shows the addresses to " +
      "enter there.",
  ],
  request: ({ client }, values) => {
    const text = (name: Exclude<keyof typeof OPTIONS, "deployment">): string => {
      const value = values[name];
      if (value === undefined) throw new UsageError(`--${name} is required`);
      return value;
    };
    const body = {
      ...{ name: text("name"), issuer: text("issuer"), clientId: text("client-id") },
      ...{ deployments: values.deployment, authorizeUrl: text("auth-url") },
      ...{ tokenUrl: text("token-url"), jwksUrl: text("keys-url") },
    };
    return client.request(ltiContracts.setPlatform, { body });
  },
  lines: ({ id, name }) => [`${oneLine(name)} is platform ${id}.`],
});

const register = defineRequest({
  name: "admin lti register",
  positionals: ["NAME", "ADDRESS"],
  notes: [
    "Prints a link, which the administrator of the platform enters there as the tool registration URL (LTI Dynamic " +
      "Registration). ADDRESS is that of the platform, such as https://moodle.example.edu: the link works only for this host.",
  ],
  request: ({ client }, _, name, address) =>
    client.request(ltiContracts.createRegistration, { body: { name, address } }),
  lines: ({ url, host, expiresAt }) => [
    url,
    `Registers the platform at ${host}, once, until ${moment(expiresAt)}. The link is shown only now.`,
  ],
});

const list = defineRequest({
  name: "admin lti list",
  request: ({ client }) => client.request(ltiContracts.platforms, {}),
  lines: (response, { width, style }) => platformLines(response, width, style),
});

const remove = defineRequest({
  name: "admin lti remove",
  positionals: ["ID"],
  request: async ({ client }, _, id) => {
    const platform = positiveInteger(id, "the number of a platform");
    await client.request(ltiContracts.removePlatform, { params: { id: platform } });
    return { platform };
  },
  lines: ({ platform }) => [`Platform ${platform} is removed, and its links are revoked. Accounts and members remain.`],
});

export const command = defineGroup({
  name: "admin lti",
  commands: {
    set: { about: "Register a learning platform, or change it", load: () => Promise.resolve({ command: set }) },
    register: {
      about: "Create a link by which a platform registers itself and this server",
      load: () => Promise.resolve({ command: register }),
    },
    list: {
      about: "List the learning platforms, and the addresses to enter there",
      load: () => Promise.resolve({ command: list }),
    },
    remove: { about: "Remove a learning platform", load: () => Promise.resolve({ command: remove }) },
  },
});
