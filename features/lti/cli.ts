import type { FeatureCommands } from "@kernelbot/cli/src/command/features.ts";

export const lti: FeatureCommands = {
  admin: {
    lti: {
      about: "Manage the learning platforms (LTI)",
      load: () => import("./commands/platforms.ts"),
      before: "invites",
    },
  },
  "admin course": {
    roster: {
      about: "Add and update students from CSV, or from a learning platform",
      load: () => import("./commands/roster.ts"),
    },
    lti: {
      about: "List, create and revoke links to learning platforms such as Moodle and Canvas",
      load: async () => ({ command: (await import("./commands/course.ts")).lti }),
      before: "extend",
    },
    "send-grades": {
      about: "Send the grades to the learning platforms now",
      load: async () => ({ command: (await import("./commands/course.ts")).sendGrades }),
      before: "extend",
    },
  },
};
