/**
 * For how long a process may send with earlier fields after a change of them, in milliseconds: it has not heard
 * of the change yet, or its clock is behind.
 */
const LATEST_USE_MS = 10_000

/**
 * Whether a request since `time` (ISO 8601) may have been sent with other fields than the service has now. They
 * may be those of another account of the provider.
 */
export const mayHaveHadOtherFields = (
  { fields_changed_at: changedAt }: { fields_changed_at: string | null },
  time: string,
): boolean => changedAt !== null && Date.parse(changedAt) + LATEST_USE_MS > Date.parse(time)
