/** Members of the providers' answers that say what they are about. */
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

/** And how much money. */
const amounts = new Set(['amount', 'value', 'order_amount', 'original_order_amount', 'captured_amount', 'refunded_amount', 'balance'])

/** The answer as if it were about something else: every id in it is another one. A body that is no JSON stays as it is. */
export const withWrongIds = (body: string, nextId: () => string): string =>
  mapJson(body, (name, value) => (ids.has(name) && typeof value === 'string' ? nextId() : value))

/** The answer with every amount some ten times as large, which no approval in part can be. A body that is no JSON stays as it is. */
export const withWrongAmounts = (body: string): string => mapJson(body, (name, value) => (amounts.has(name) ? tenfoldValue(value) : value))

function mapJson(body: string, change: (name: string, value: unknown) => unknown): string {
  try {
    return JSON.stringify(JSON.parse(body, change))
  } catch {
    return body
  }
}

/** Zero becomes another amount, too. */
const tenfold = (amount: number): number => 10 * amount + 1

/** Some providers write `1.00`. */
function tenfoldValue(value: unknown): unknown {
  if (typeof value === 'number') return tenfold(value)
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? value.replace(/^\d+/, (whole) => String(tenfold(Number(whole)))) : value
}
