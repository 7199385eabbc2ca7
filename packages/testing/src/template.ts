/** Migrated, empty database from which test databases are copied. */
export const TEMPLATE = "kernelbot_template";
