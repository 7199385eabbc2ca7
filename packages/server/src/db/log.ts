/** Logs a sentence for the operator. */
export type Log = (sentence: string) => void;
