/** Parses YAML written by organisers, with a limit on its length and in time linear in it. */
import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { yaml11Value } from "./yaml11.ts";

/** Maximum length of a document in characters. A document of this length that consists only of keys takes 0.3 s. */
export const MAX_YAML_LENGTH = 200_000;
/** Maximum number of values that all merge keys (`<<`) together repeat. */
const MAX_MERGED = 20_000;

/** Value that YAML 1.1 and 1.2 read differently, such as `no` or `010`. */
export interface YamlDifference {
  /** Line, from 1. */
  line: number;
  /** Keys from the outermost mapping to the value. */
  keys: string[];
  /** Text of the value in the file. */
  source: string;
  yaml11: boolean | number | string;
  yaml12: boolean | number | string;
}

export interface ParsedYaml {
  /** The document as YAML 1.2, with merge keys. */
  value: unknown;
  /** The differences from YAML 1.1, which PyYAML reads, in the order of the document. Keys are left out. */
  differences: YamlDifference[];
  /** Returns the document with the meaning of YAML 1.1 for those of its differences. */
  withYaml11: (differences: readonly YamlDifference[]) => unknown;
  /** Returns the line of a value, or of the innermost value around it that exists; null where that is the document. */
  lineOf: (path: readonly PropertyKey[]) => number | null;
}

/**
 * Parses a document.
 * @throws Error with the reason and the line.
 */
export function parseYaml(text: string): unknown {
  return readYaml(text).value;
}

/**
 * Parses a document, and finds what YAML 1.1 reads differently.
 * @throws Error with the reason and the line.
 */
export function readYaml(text: string): ParsedYaml {
  if (text.length > MAX_YAML_LENGTH) {
    throw new Error(`it has ${text.length} characters; at most ${MAX_YAML_LENGTH} are allowed`);
  }
  const lines = new LineCounter();
  const at = (offset = 0): string => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  // The library's own check compares each key of a mapping with all earlier keys: 60,000 keys take 48 s.
  const document = parseDocument(text, { uniqueKeys: false, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const anchors = new Map<string, unknown>();
  const differences = new Map<Scalar, YamlDifference>();
  let merged = 0;

  /** Replaces the merge keys of a mapping by the pairs that they add. The library resolves them in exponential time. */
  const merge = (map: YAMLMap): void => {
    const isMerge = ({ key }: Pair): boolean => isScalar(key) && key.type === "PLAIN" && key.value === "<<";
    const merges = map.items.filter(isMerge);
    if (merges.length === 0) return;
    const own = map.items.filter((pair) => !isMerge(pair));
    const names = new Set(own.map(({ key }) => (isScalar(key) ? key.value : key)));
    const added: Pair[] = [];
    for (const { key, value } of merges) {
      for (const one of isSeq(value) ? value.items : [value]) {
        const source = isAlias(one) ? anchors.get(one.source) : one;
        if (!isMap(source)) {
          const offset = isScalar(key) ? key.range?.[0] : undefined;
          throw new Error(`the merge key << at ${at(offset)} must have a mapping, or a list of mappings`);
        }
        merge(source);
        for (const pair of source.items) {
          const name = isScalar(pair.key) ? pair.key.value : pair.key;
          if (names.has(name)) continue;
          names.add(name);
          added.push(pair);
        }
        merged += sizeOf(source);
        if (merged > MAX_MERGED) throw new Error(`its merge keys repeat more than ${MAX_MERGED} values`);
      }
    }
    map.items = [...added, ...own];
  };

  visit(document, {
    Node(_, node) {
      if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
      if (isMap(node)) {
        const names = new Set<unknown>();
        for (const { key } of node.items) {
          if (!isScalar(key)) continue;
          if (names.has(key.value))
            throw new Error(`the key ${JSON.stringify(key.value)} is repeated at ${at(key.range?.[0])}`);
          names.add(key.value);
        }
        merge(node);
      }
      return undefined;
    },
  });
  const value: unknown = document.toJS();
  visit(document, {
    Scalar(key, node, ancestors) {
      if (key === "key" || node.type !== "PLAIN" || node.tag !== undefined) return;
      const source = node.source ?? "";
      const yaml11 = yaml11Value(source);
      if (yaml11 === null || yaml11 === node.value) return;
      const yaml12 = node.value as YamlDifference["yaml12"];
      const keys = ancestors
        .filter((one) => isPair(one))
        .map((pair) => String(isScalar(pair.key) ? pair.key.value : pair.key));
      const { line } = lines.linePos(node.range?.[0] ?? 0);
      differences.set(node, { line, keys, source, yaml11, yaml12 });
    },
  });
  return {
    value,
    differences: [...differences.values()],
    withYaml11: (chosen) => {
      for (const [node, difference] of differences)
        node.value = chosen.includes(difference) ? difference.yaml11 : difference.yaml12;
      return document.toJS() as unknown;
    },
    lineOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true);
        const offset = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
        if (offset !== undefined) return lines.linePos(offset).line;
      }
      return null;
    },
  };
}

/** Returns the number of values in a node, itself included. */
function sizeOf(node: unknown): number {
  if (!isMap(node) && !isSeq(node)) return 1;
  const inner: unknown[] = isMap(node) ? node.items.map(({ value }) => value) : node.items;
  return inner.reduce<number>((sum, one) => sum + sizeOf(one), 1);
}
