import type { CheckoutState } from './checkout.ts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const text = (value: string): string => value.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)

const money = ({ value, currency_code }: { value: string; currency_code: string }) => `${text(value)} ${text(currency_code)}`

/** The page on which a buyer of the simulator decides. `path` is its own; the forms post to what is below it. */
export function checkoutPage(state: CheckoutState, path: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pay ${text(state.merchant)}</title>
</head>
<body>
<main>
<h1>Pay ${text(state.merchant)}</h1>
<p>Sandbox wallet of ${text(state.payer.name)} (${text(state.payer.email)})</p>
${state.error ? `<p role="alert">${text(state.error.message)} <code>${text(state.error.issue)}</code></p>` : ''}
${summary(state)}
${state.address ? addressPart(state, path) : ''}
${state.shipping_options.length > 0 ? optionPart(state, path) : ''}
${state.status === 'PAYER_ACTION_REQUIRED' ? decision(state, path) : `<p role="status">This order is ${text(state.status.toLowerCase())}.</p>`}
</main>
</body>
</html>
`
}

function summary({ items, amount, description }: CheckoutState): string {
  const rows = [
    ...items.map(({ name, quantity, unit_amount }) => [`${text(quantity)} × ${text(name)}`, money(unit_amount)] as const),
    ...Object.entries(amount.breakdown ?? {}).flatMap(([name, part]) => (part ? [[text(name.replaceAll('_', ' ')), money(part)] as const] : [])),
    ['Total', money(amount)] as const,
  ]
  return `${description ? `<p>${text(description)}</p>` : ''}
<table>
<caption>Your order</caption>
<tbody>
${rows.map(([name, price]) => `<tr><th scope="row">${name}</th><td>${price}</td></tr>`).join('\n')}
</tbody>
</table>`
}

const fields = [
  ['address_line_1', 'Street'],
  ['admin_area_2', 'City'],
  ['admin_area_1', 'State'],
  ['postal_code', 'Postal code'],
  ['country_code', 'Country'],
] as const

function addressPart({ address, can_change_address: canChange }: CheckoutState, path: string): string {
  const shown = fields.map(([name]) => address?.[name]).filter(Boolean)
  const inputs = fields.map(
    ([name, label]) =>
      `<label>${label} <input name="${name}" value="${text(address?.[name] ?? '')}"${name === 'country_code' ? ' required maxlength="2"' : ''}></label>`,
  )
  return `<section>
<h2>Ship to</h2>
<p>${text(shown.join(', '))}</p>
${canChange ? `<form method="post" action="${text(path)}/address">\n${inputs.join('\n')}\n<button>Change address</button>\n</form>` : ''}
</section>`
}

function optionPart({ shipping_options: options }: CheckoutState, path: string): string {
  const choices = options.map(
    ({ id, label, selected, amount }) =>
      `<label><input type="radio" name="id" value="${text(id)}"${selected ? ' checked' : ''}> ${text(label)}${amount ? `, ${money(amount)}` : ''}</label>`,
  )
  return `<form method="post" action="${text(path)}/option">
<fieldset>
<legend>Shipping</legend>
${choices.join('\n')}
</fieldset>
<button>Choose</button>
</form>`
}

function decision({ user_action, can_approve: canApprove }: CheckoutState, path: string): string {
  const label = user_action === 'PAY_NOW' ? 'Pay now' : 'Continue to review your order'
  const button = (action: string, name: string, enabled = true) =>
    `<form method="post" action="${text(path)}/${action}"><button${enabled ? '' : ' disabled'}>${name}</button></form>`
  return [
    button('approve', label, canApprove),
    button('decline', 'Pay with a funding source that will be refused', canApprove),
    button('cancel', 'Cancel and return to the shop'),
  ].join('\n')
}
