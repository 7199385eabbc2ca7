/** Limits of Discord's API, version 10, on what a bot sends. */
import { z } from "zod";

const Text = (most: number) => z.string().min(1).max(most);
const Id = Text(100);

const Button = z.object({ type: z.literal(2), custom_id: Id, label: Text(80) });
const Menu = z
  .object({
    ...{ type: z.literal(3), custom_id: Id, placeholder: z.string().max(150) },
    ...{ min_values: z.int().min(0).max(25), max_values: z.int().min(1).max(25) },
    options: z
      .array(z.object({ label: Text(100), value: Text(100) }))
      .min(1)
      .max(25),
  })
  .refine(({ max_values, options }) => max_values <= options.length, "more values than options")
  .refine(({ options }) => areDistinct(options.map(({ value }) => value)), "repeated value");
const Input = z.object({
  ...{ type: z.literal(4), custom_id: Id, label: Text(45), placeholder: z.string().max(100) },
  max_length: z.int().min(1).max(4000),
});
const rowsOf = <Components extends z.ZodType>(components: Components) =>
  z.array(z.object({ type: z.literal(1), components })).max(5);

/** A message; an edit may leave out its content. */
export const MessageLimits = z
  .object({
    content: z.string().max(2000).default(""),
    nonce: z.string().max(25).optional(),
    attachments: z.array(z.unknown()).max(10).default([]),
    components: rowsOf(z.union([z.array(Button).min(1).max(5), z.tuple([Menu])])).default([]),
  })
  .refine(
    ({ components }) => areDistinct(components.flatMap((row) => row.components.map(({ custom_id }) => custom_id))),
    "repeated custom_id",
  );

/** Name of a thread. */
export const ThreadName = Text(100);

/** A window, and the choices of an autocompletion, as data of a response. */
export const WindowLimits = z.object({
  ...{ custom_id: Id, title: Text(45) },
  components: rowsOf(z.tuple([Input])),
});
export const ChoicesLimits = z.object({
  choices: z.array(z.object({ name: Text(100), value: Text(100) })).max(25),
});

interface Command {
  name: string;
  description: string;
  options?: Command[] | undefined;
  required?: boolean | undefined;
}
const Command: z.ZodType<Command> = z.object({
  name: z.string().regex(/^[-_'\p{Ll}\p{N}]{1,32}$/u),
  description: Text(100),
  required: z.boolean().optional(),
  options: z
    .lazy(() => z.array(Command).max(25))
    .optional()
    .refine((options = []) => areDistinct(options.map(({ name }) => name)), "repeated name")
    .refine((options = []) => {
      const firstOptional = options.findIndex(({ required }) => required !== true);
      return firstOptional < 0 || options.slice(firstOptional).every(({ required }) => required !== true);
    }, "a required option after an optional one"),
});

/** The commands of an application. */
export const CommandsLimits = z
  .array(Command.refine((command) => charactersOf(command) <= 8000, "more than 8,000 characters"))
  .max(100)
  .refine((commands) => areDistinct(commands.map(({ name }) => name)), "repeated name");

function charactersOf({ name, description, options = [] }: Command): number {
  return options.reduce((sum, option) => sum + charactersOf(option), name.length + description.length);
}

function areDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
