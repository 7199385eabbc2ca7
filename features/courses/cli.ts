import type { FeatureCommands } from "@kernelbot/cli/src/command/features.ts";

export const courses: FeatureCommands = {
  compete: {
    course: {
      about: "Show your deadlines and grades in a course",
      load: () => import("./commands/own.ts"),
      before: "team",
    },
  },
  admin: {
    course: {
      about: "Manage the roster and the grades of a course",
      load: () => import("./commands/admin.ts"),
      before: "invites",
    },
  },
};
