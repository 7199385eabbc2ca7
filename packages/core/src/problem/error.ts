import { KernelBotError, quote } from "../errors.ts";

/** Creates the error for an invalid problem. `what` names one fault or, separated by "; ", several. */
export function invalidProblem(name: string, what: string, cause?: unknown): KernelBotError {
  return new KernelBotError("unprocessable", `problem ${quote(name)}: ${what}`, { cause });
}

/** Collects the faults of a problem, so that one error names all of them. */
export class ProblemFaults {
  readonly #name: string;
  readonly #faults: string[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  add(fault: string): void {
    this.#faults.push(fault);
  }

  /** Returns the result of `work`; undefined if it throws the error for an invalid problem, whose faults are added. */
  async attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.code !== "unprocessable") throw error;
      this.add(error.message.replace(`problem ${quote(this.#name)}: `, ""));
      return undefined;
    }
  }

  /** @throws KernelBotError `unprocessable` if there are faults. */
  throwIfAny(): void {
    if (this.#faults.length > 0) throw invalidProblem(this.#name, this.#faults.join("; "));
  }
}
