/** All commands of the bot. */
import type { Command, Part } from "../command.ts";
import { adminCommands, adminParts } from "./admin.ts";
import { help, ping, verifyDatabase } from "./help.ts";
import { list, listPart } from "./list.ts";
import { migrationCommands } from "./migration.ts";
import { getSubmission } from "./submission-details.ts";
import { task, template } from "./problem.ts";
import { exportHuggingFace } from "./publishing.ts";
import { boardPart, show, showPart, showPersonal } from "./show.ts";
import { gpusPart, submitCommands } from "./submit.ts";

export const COMMANDS: readonly Command[] = [
  ...submitCommands,
  list,
  show,
  showPersonal,
  task,
  template,
  getSubmission,
  help,
  ...adminCommands,
  ...migrationCommands,
  exportHuggingFace,
  ping,
  verifyDatabase,
];

/** Handlers of buttons, menus and modal windows, by the first word of their id. */
export const PARTS: Readonly<Record<string, Part>> = {
  gpus: gpusPart,
  list: listPart,
  show: showPart,
  board: boardPart,
  ...adminParts,
};
