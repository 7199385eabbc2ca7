/** Says a sentence to the operator. */
export type Log = (sentence: string) => void;
