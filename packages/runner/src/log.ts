/** Writes one line for the operator. */
export type Log = (line: string) => void;

/**
 * Writes lines with a timestamp to standard output. Control characters, which may come from untrusted text, are
 * replaced by `?`.
 */
export const log: Log = (line) => {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  process.stdout.write(`${time} ${line.replace(/\p{Cc}/gu, "?")}\n`);
};
