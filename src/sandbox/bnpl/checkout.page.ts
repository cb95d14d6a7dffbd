import currencyCodes from 'currency-codes'
import type { OrderLine } from './bnpl.schema.ts'
import type { PageStatus } from './documents.ts'

export interface CheckoutState {
  status: PageStatus
  /** Where the buyer's decisions are posted: `{action}/approve`. */
  action: string
  purchase_currency: string
  order_amount: number
  order_lines: readonly OrderLine[]
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

function price(amount: number, currency: string): string {
  const digits = currencyCodes.code(currency.toUpperCase())?.digits ?? 2
  return escaped(`${(amount / 10 ** digits).toFixed(digits)} ${currency.toUpperCase()}`)
}

const notices: Record<PageStatus, string | null> = {
  WAITING: null,
  COMPLETED: 'You have approved this purchase.',
  FAILED: 'This purchase was declined.',
  CANCELLED: 'This purchase was cancelled.',
  DISABLED: 'This page is closed.',
}

const buttons = [
  ['approve', 'Pay later'],
  ['decline', 'Be declined'],
  ['cancel', 'Cancel'],
] as const

/** The page on which a buyer approves, in the sandbox. It works without scripts. */
export function checkoutPage({ status, action, purchase_currency, order_amount, order_lines }: CheckoutState): string {
  const lines = order_lines.map(
    ({ name, quantity, total_amount }) => `<tr><td>${escaped(name)}</td><td>${quantity}</td><td>${price(total_amount, purchase_currency)}</td></tr>`,
  )
  const forms = buttons.map(
    ([decision, label]) => `<form method="post" action="${escaped(`${action}/${decision}`)}"><button type="submit">${label}</button></form>`,
  )
  const notice = notices[status]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Buy now, pay later (sandbox)</title>
</head>
<body>
<main>
<h1>Buy now, pay later</h1>
<p>This is a sandbox: no money moves.</p>
<table>
<thead><tr><th>Item</th><th>Quantity</th><th>Total</th></tr></thead>
<tbody>${lines.join('')}</tbody>
<tfoot><tr><th colspan="2">To pay</th><td>${price(order_amount, purchase_currency)}</td></tr></tfoot>
</table>
${notice ? `<p role="status">${notice}</p>` : forms.join('\n')}
</main>
</body>
</html>
`
}
