/** Options and variables of the program, for the reference page. */
import type { ReferenceSection } from "@kernelbot/core";
import { DOCTOR_OPTIONS } from "./doctor/options.ts";
import { RUNNER_OPTIONS, RUNNER_VARIABLES } from "./options.ts";

export const RUNNER_REFERENCE: readonly ReferenceSection[] = [
  { title: "kernelbot-runner", options: RUNNER_OPTIONS, variables: RUNNER_VARIABLES },
  { title: "kernelbot-runner doctor", options: DOCTOR_OPTIONS },
];
