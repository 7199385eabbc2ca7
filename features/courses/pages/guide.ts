/** Guide to the pages of courses. */
export const GUIDE = "/docs/guides/run-a-course";
