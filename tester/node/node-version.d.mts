export const OLDEST_NODE: string;
export function isNewEnough(version: string): boolean;
export function isNodeTooOld(program: string): boolean;
