/**
 * Sizes that follow from other axes: `rows * (heads + 1) // 2`. Numbers, names, `+ - * / // % **`, signs and
 * parentheses, with Python's precedences and rounding.
 */

/** Maximum length and nesting, so that a hostile expression costs nothing. */
const MAX_LENGTH = 1000;
const MAX_DEPTH = 50;
/** Maximum size of an axis, of an intermediate value as well. */
const MAX_VALUE = 2 ** 53;

const TOKEN = /\s*(?:(\d+(?:\.\d*)?|\.\d+)|([A-Za-z_]\w*)|(\*\*|\/\/|[-+*/%()]))/y;

/**
 * Evaluates an expression.
 * @param axes values of the names
 * @throws Error that says what is wrong with it
 */
export function evaluateAxis(expression: string, axes: ReadonlyMap<string, number>): number {
  if (expression.length > MAX_LENGTH) throw new Error(`has more than ${MAX_LENGTH} characters`);
  const parser = new Parser(tokensOf(expression), axes);
  const value = parser.sum(0);
  if (parser.next !== undefined) throw new Error(`has an unexpected ${JSON.stringify(parser.next)}`);
  if (!Number.isInteger(value) || value < 0) throw new Error(`is ${value}, not a whole number of at least 0`);
  return value;
}

function tokensOf(expression: string): string[] {
  const text = expression.trimEnd();
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new Error(`has an unexpected ${JSON.stringify(text.slice(at).trim().slice(0, 1))}`);
    tokens.push(match[0].trim());
  }
  return tokens;
}

class Parser {
  private at = 0;
  private readonly tokens: readonly string[];
  private readonly axes: ReadonlyMap<string, number>;

  constructor(tokens: readonly string[], axes: ReadonlyMap<string, number>) {
    this.tokens = tokens;
    this.axes = axes;
  }

  get next(): string | undefined {
    return this.tokens[this.at];
  }

  sum(depth: number): number {
    return this.leftToRight(["+", "-"], () => this.product(depth));
  }

  private product(depth: number): number {
    return this.leftToRight(["*", "/", "//", "%"], () => this.signed(depth));
  }

  private leftToRight(operators: readonly string[], operand: () => number): number {
    let value = operand();
    while (this.next !== undefined && operators.includes(this.next)) {
      const operator = this.take();
      value = bounded(combine(operator, value, operand()));
    }
    return value;
  }

  /** A sign binds less than a power on its right: -2 ** 2 is -4. */
  private signed(depth: number): number {
    if (depth > MAX_DEPTH) throw new Error(`is nested more than ${MAX_DEPTH} deep`);
    if (this.next === "+" || this.next === "-") return (this.take() === "-" ? -1 : 1) * this.signed(depth + 1);
    const base = this.atom(depth);
    if (this.next !== "**") return base;
    this.take();
    return bounded(base ** this.signed(depth + 1));
  }

  private atom(depth: number): number {
    const token = this.take();
    if (token === "(") {
      const value = this.sum(depth + 1);
      if (this.next !== ")") throw new Error("lacks a closing parenthesis");
      this.take();
      return value;
    }
    if (/^[\d.]/.test(token)) return bounded(Number(token));
    const value = this.axes.get(token);
    if (value === undefined) {
      const isName = /^\w/.test(token);
      throw new Error(isName ? `uses ${JSON.stringify(token)}, which is not an axis before it` : "ends unexpectedly");
    }
    return value;
  }

  private take(): string {
    const token = this.tokens[this.at] ?? "";
    this.at += 1;
    return token;
  }
}

function combine(operator: string, one: number, other: number): number {
  if (other === 0 && ["/", "//", "%"].includes(operator)) throw new Error("divides by 0");
  switch (operator) {
    case "+":
      return one + other;
    case "-":
      return one - other;
    case "*":
      return one * other;
    case "/":
      return one / other;
    case "//":
      return Math.floor(one / other);
    default:
      // Python's remainder has the sign of the divisor.
      return one - other * Math.floor(one / other);
  }
}

function bounded(value: number): number {
  if (Number.isFinite(value) && Math.abs(value) <= MAX_VALUE) return value;
  throw new Error("has a value beyond 2^53");
}
