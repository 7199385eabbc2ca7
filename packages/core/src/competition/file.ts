/**
 * Competition file, as written by an organiser:
 *
 *     name: spring
 *     title: Spring kernels
 *     starts_at: 2026-03-01T12:00:00Z
 *     ends_at: 2026-04-01T12:00:00Z
 *     targets: [H100]
 *     problems: [vectoradd, { name: matmul, targets: [H100, B200], ends_at: 2026-03-15T12:00:00Z }]
 */
import { parseSettingsFile } from "../text/settings-file.ts";
import { CompetitionSpec } from "./competition.ts";

/**
 * Parses the file of a competition.
 * @throws KernelBotError `unprocessable`, with the key and the reason.
 */
export function parseCompetition(text: string): CompetitionSpec {
  return parseSettingsFile(CompetitionSpec, { what: "competition", example: "name: spring" }, text);
}
