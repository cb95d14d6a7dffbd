import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { queryOn } from '../postgres.ts'

const PAGE = 50_000

interface Paid extends Record<string, unknown> {
  id: string
  reference: string
  amount: number
  currency: string
  posted: string
}

const page = (after: string) => `
select id, payment_service_transaction_id as reference, captured_amount::int as amount, currency, to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as posted
  from transactions where merchant_account_id = 'default' and id > '${after}' and captured_amount > 0 order by id limit ${PAGE}`

const header =
  'line_id,type,payment_id,refund_id,gross_amount,gross_currency,net_amount,currency,exchange_rate,commission,interchange,markup,scheme_fee,posted_at\n'

/** Writes a card payment service's report of all captured payments; returns the number of lines. */
export async function writeReport(url: string, file: string): Promise<number> {
  const out = createWriteStream(file)
  out.write(header)
  let lines = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const rows = await queryOn<Paid>(url, page(after))
    const last = rows.at(-1)
    if (!last) break
    after = last.id
    lines += rows.length
    if (!out.write(rows.map(lineOf).join(''))) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  return lines
}

function lineOf({ reference, amount, currency, posted }: Paid): string {
  const [interchange, markup, schemeFee] = [
    Math.floor(amount / 100),
    Math.floor(amount / 300),
    Math.floor(amount / 600),
  ]
  const commission = interchange + markup + schemeFee
  const net = amount - commission
  return `stl_${reference},settlement,${reference},,${amount},${currency},${net},${currency},,${commission},${interchange},${markup},${schemeFee},${posted}\n`
}
