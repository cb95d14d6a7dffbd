/** Members of the providers' answers with ids. */
const ids = new Set([
  'id',
  'key',
  'payment_id',
  'invoice_id',
  'custom_id',
  'reference_id',
  'order_id',
  'session_id',
  'reference',
  'capture_id',
  'refund_id',
])

/** Members with amounts. */
const amounts = new Set([
  'amount',
  'value',
  'order_amount',
  'original_order_amount',
  'captured_amount',
  'refunded_amount',
  'balance',
])

/**
 * The answer with every id replaced, as if it were about another operation. A body that is not JSON is
 * unchanged.
 */
export const withWrongIds = (body: string, nextId: () => string): string =>
  mapJson(body, (name, value) => (ids.has(name) && typeof value === 'string' ? nextId() : value))

/**
 * The answer with every amount about ten times as large, which no partial approval can be. A body that is not
 * JSON is unchanged.
 */
export const withWrongAmounts = (body: string): string =>
  mapJson(body, (name, value) => (amounts.has(name) ? tenfoldValue(value) : value))

function mapJson(body: string, change: (name: string, value: unknown) => unknown): string {
  try {
    return JSON.stringify(JSON.parse(body, change))
  } catch {
    return body
  }
}

/** A different amount for every amount, zero included. */
const tenfold = (amount: number): number => 10 * amount + 1

/** Some providers write amounts as `1.00`. */
function tenfoldValue(value: unknown): unknown {
  if (typeof value === 'number') return tenfold(value)
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
    ? value.replace(/^\d+/, (whole) => String(tenfold(Number(whole))))
    : value
}
