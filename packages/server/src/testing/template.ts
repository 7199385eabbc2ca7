/** The migrated, empty database that each test's own is copied from. */
export const TEMPLATE = "kernelbot_template";
