/** How far a merchant account lets captures exceed their authorization; null: no such limit is configured. */
export interface OverCapture {
  over_capture_amount: number | null
  over_capture_percentage: number | null
}

/** The smaller of the allowances that the merchant account configures, 0 without any (semantics §3.5). */
export const overCapture = (account: OverCapture | undefined) => (authorized: number) => {
  const percentage = account?.over_capture_percentage ?? null
  // a large percentage of the largest amount exceeds what a number holds exactly
  const part =
    percentage === null
      ? null
      : Math.min(Number.MAX_SAFE_INTEGER, Math.floor((authorized * percentage) / 100))
  const allowances = [account?.over_capture_amount ?? null, part]
  const configured = allowances.filter((allowance) => allowance !== null)
  return configured.length > 0 ? Math.min(...configured) : 0
}
