/** How long a claimed run is held without a word of its runner, in milliseconds; see `Claimed.leaseMs` of core. */
export const LEASE_MS = 15_000;

export interface LeaseOptions {
  leaseMs?: number;
}
