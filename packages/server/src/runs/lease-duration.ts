/** Duration of a lease without a report of the runner, in milliseconds; see `Claimed.leaseMs` of core. */
export const LEASE_MS = 15_000;

export interface LeaseOptions {
  leaseMs?: number;
}
