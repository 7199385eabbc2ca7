/** All commands of the bot. */
import type { Command, Part } from "../command.ts";
import { adminCommands, adminParts } from "./admin.ts";
import { help, ping, verifyDatabase } from "./help.ts";
import { list, listPart } from "./list.ts";
import { movingCommands } from "./moving.ts";
import { getSubmission } from "./own.ts";
import { task, template } from "./problem.ts";
import { exportHuggingFace } from "./publishing.ts";
import { boardPart, show, showPart, showPersonal } from "./show.ts";
import { gpusPart, submits } from "./submit.ts";

export const COMMANDS: readonly Command[] = [
  ...submits,
  list,
  show,
  showPersonal,
  task,
  template,
  getSubmission,
  help,
  ...adminCommands,
  ...movingCommands,
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
