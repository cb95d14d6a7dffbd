import { reconciliationId } from '../../api/values/reconciliation-id.ts'
import { labelOf } from '../../checkout/payment-options/payment-option.label.ts'
import { type Html, html } from '../../page/html.ts'
import type { TransactionRow } from '../../transactions/transaction.row.ts'
import { schemeNames } from '../../vault/payment-methods/card-scheme-definition.ts'
import type { Words } from './words/words.ts'

/**
 * What a buyer keeps of a payment that succeeded. Its reference is the reconciliation id: `GET /transactions`
 * finds it with `search`. `amount`: formatted.
 */
export function receiptParts(payment: TransactionRow, amount: string, words: Words): Html {
  const { title, reference, print, ...names } = words.receipt
  const at = payment.captured_at ?? payment.authorized_at ?? payment.created_at
  return html`<section class="receipt" aria-labelledby="receipt">
<h2 id="receipt">${title}</h2>
<dl>
<dt>${reference}</dt><dd id="reference">${reconciliationId(payment.id)}</dd>
<dt>${names.time}</dt><dd><time datetime="${at}">${timeText(at, words.lang)}</time></dd>
<dt>${names.amount}</dt><dd>${amount}</dd>
<dt>${names.method}</dt><dd>${methodText(payment, words)}</dd>
</dl>
<button type="button" class="button" id="print">${print}</button>
</section>`
}

/** The page's script writes it in the time zone of the browser. */
const timeText = (at: string, lang: string): string =>
  new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }).format(
    new Date(at),
  )

function methodText({ payment_method: method, method: name }: TransactionRow, words: Words): Html {
  const scheme = method?.scheme && schemes[method.scheme]
  if (!scheme || !method.label) return html`${name && labelOf(name, words.lang)}`
  return html`${method.method !== 'card' && `${labelOf(method.method, words.lang)}, `}${scheme} <span aria-hidden="true">••••</span><span class="unseen">${words.storedCard.ending}</span> ${method.label}`
}

const schemes: Readonly<Record<string, string>> = schemeNames
