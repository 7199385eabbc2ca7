/** Writes one line for the operator. */
export type Log = (line: string) => void;

/** Lines with the time, on standard output. Control characters, which may come from afar, are shown as `?`. */
export const log: Log = (line) => {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  process.stdout.write(`${time} ${line.replace(/\p{Cc}/gu, "?")}\n`);
};
