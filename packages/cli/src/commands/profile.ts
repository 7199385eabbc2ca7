import { submissionId } from "../command/arguments.ts";
import { defineRequest } from "../request/request.ts";
import { profileLines } from "../render/profile.ts";

export const command = defineRequest({
  name: "profile",
  positionals: ["ID"],
  notes: [
    "Shows what the page of a submission in mode profile shows: for each benchmark case the operations with the most time, and how " +
      "busy each stream and thread was, then the reports of Nsight Compute or rocprofv3. --json includes the timelines. Profilers run " +
      "in the submission's process, so the judge does not verify their results. kernelbot show ID --out DIR saves the files.",
  ],
  request: ({ client }, _, id) => client.profile(submissionId(id)),
  lines: (profile, { width, style }, id) => profileLines(profile, id, width, style),
});
