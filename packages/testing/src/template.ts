/** Databases from which test databases are copied: a migrated, empty one, and one with `EXAMPLE_PROBLEMS`. */
export const TEMPLATE = "kernelbot_template";
export const TEMPLATE_WITH_PROBLEMS = "kernelbot_template_with_problems";
