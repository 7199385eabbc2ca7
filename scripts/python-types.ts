/** Python types of zod schemas: a TypedDict for each object, an alias for each other schema. */
import { z } from "zod";

const MAX_LINE = 120;

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Returns the definitions of schemas that get a name of their own; the types of nested objects are named after their
 * property. @throws Error for a schema that has no Python type.
 */
export function pythonTypes(named: Readonly<Record<string, z.ZodType>>): string {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { unrepresentable: "any", uri: (id) => id });
  const definitions: string[] = [];
  for (const id of Object.keys(named)) {
    const schema = schemas[id];
    if (schema === undefined) throw new Error(`python-types.ts: zod returned no schema ${id}`);
    if (isObject(schema)) define(id, schema, definitions);
    else definitions.push(alias(id, typeOf(schema, id, definitions)));
  }
  return definitions.join("\n");
}

/** Whether the schema has named properties; others of type `object` are dictionaries. */
function isObject(schema: JsonSchema): boolean {
  return schema.type === "object" && schema.properties !== undefined;
}

/** Adds a TypedDict, after those of its nested objects. */
function define(name: string, schema: JsonSchema, definitions: string[]): void {
  const fields = Object.entries(schema.properties ?? {}).map(([property, value]) => {
    const type = typeOf(value as JsonSchema, name + pascal(property), definitions);
    return `    ${property}: ${schema.required?.includes(property) === true ? type : `NotRequired[${type}]`}\n`;
  });
  definitions.push(`\nclass ${name}(TypedDict):\n${fields.join("") || "    pass\n"}`);
}

/** Returns an alias of a type. A recursive type has to be quoted. */
function alias(name: string, type: string): string {
  const value = new RegExp(`\\b${name}\\b`).test(type) ? `"${type}"` : type;
  const line = `\n${name}: TypeAlias = ${value}\n`;
  return line.length <= MAX_LINE ? line : `\n${name}: TypeAlias = (\n    ${value.replaceAll(" | ", "\n    | ")}\n)\n`;
}

/** Returns the annotation of a schema. `name` names the type of an object without a name of its own. */
function typeOf(schema: JsonSchema, name: string, definitions: string[]): string {
  if (schema.$ref !== undefined) return schema.$ref;
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
  if (schema.enum !== undefined) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(", ")}]`;
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) {
    const objects = options.filter(isObject);
    const types = options.map((option) =>
      typeOf(option, objects.length > 1 ? name + optionName(option) : name, definitions),
    );
    return [...new Set(types)].join(" | ");
  }
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type: type }, name, definitions)).join(" | ");
  }
  if (isObject(schema)) {
    define(name, schema, definitions);
    return name;
  }
  if (schema.type === "object") {
    const values = schema.additionalProperties;
    if (typeof values !== "object") throw new Error(`python-types.ts: ${name} has neither fields nor values`);
    return `dict[str, ${typeOf(values, name, definitions)}]`;
  }
  if (schema.prefixItems !== undefined) {
    const types = schema.prefixItems.map((item) => typeOf(item as JsonSchema, singular(name), definitions));
    return `tuple[${types.join(", ")}]`;
  }
  if (schema.type === "array") return `list[${typeOf(schema.items as JsonSchema, singular(name), definitions)}]`;
  const type = PYTHON_TYPES[schema.type ?? ""];
  if (type === undefined) throw new Error(`python-types.ts: ${name} has no Python type`);
  return type;
}

const PYTHON_TYPES: Readonly<Record<string, string>> = {
  string: "str",
  number: "float",
  integer: "int",
  boolean: "bool",
  null: "None",
};

/** Returns the suffix that tells an object from the other options of a union: its `type`, or its last property. */
function optionName(option: JsonSchema): string {
  const type = option.properties?.type;
  if (typeof type === "object" && typeof type.const === "string") return pascal(type.const);
  return pascal(Object.keys(option.properties ?? {}).at(-1) ?? "");
}

function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function singular(name: string): string {
  return name.endsWith("s") ? name.slice(0, -1) : `${name}Item`;
}
