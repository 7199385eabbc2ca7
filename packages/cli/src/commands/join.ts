import { defineRequest } from "../command/request.ts";
import { listed } from "../output/text.ts";

export const command = defineRequest({
  name: "join",
  positionals: ["CODE"],
  request: ({ client }, _, code) => client.join(code),
  lines: ({ competitions }) => [`You have joined ${listed(competitions)}.`],
});
