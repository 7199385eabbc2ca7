/** `kernelbot session`: evaluations within a budget. The commands are in `session/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "session",
  commands: {
    start: { about: "Open a session with a budget of evaluations and time", load: () => import("./session/start.ts") },
    show: { about: "Show the rest of a session's budget and its transcript", load: () => import("./session/show.ts") },
    note: { about: "Add a text to the transcript of a session", load: () => import("./session/note.ts") },
    end: { about: "End a session before its time limit", load: () => import("./session/end.ts") },
    attach: {
      about: "Attach the transcript of a session to one of your submissions",
      load: () => import("./session/attach.ts"),
    },
  },
});
