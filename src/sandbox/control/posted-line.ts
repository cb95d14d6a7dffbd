import { Type } from 'typebox'
import { Currency, Nullable, Words } from '../../api/schema.ts'
import { Compile } from '../../base/compile.ts'
import { firstError } from '../core/first-error.ts'
import { type Answer, badRequest, type Incoming, json, problem } from '../core/provider-messages.ts'
import {
  DAY_MS,
  type SettlementLine,
  settlementLines,
  storePostedLine,
  withFees,
} from '../core/settlement-lines.ts'
import { formatReport } from '../core/settlement-report.ts'
import type { Sandbox } from '../sandbox.ts'

const Fee = Type.Integer({ minimum: 0, maximum: 1e12 })

const lineBody = Compile(
  Type.Object({
    service: Type.String(),
    payment: Type.String(),
    kind: Words('settlement', 'refund', 'chargeback', 'chargeback-reversal'),
    refund: Nullable(Type.String()),
    gross: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    currency: Nullable(Currency),
    exchange_rate: Nullable(Type.Number({ exclusiveMinimum: 0 })),
    fees: Nullable(Type.Object({ interchange: Fee, markup: Fee, scheme_fee: Fee })),
  }),
)

/** Amounts up to this one fit a report's columns in any currency. */
const MAX_AMOUNT = 1e11

/**
 * Posts a line of a settlement report now and returns the report as the provider writes it, with the lines of
 * this payment that were posted on request today. The report of the day has the line too. 409: there is no
 * such payment, or the line has no valid amounts.
 */
export function postLine(sandbox: Sandbox, { body }: Incoming): Answer {
  if (!lineBody.Check(body)) return badRequest(firstError(lineBody, body))
  const { service, payment: id, kind, refund, gross, fees } = body
  const payment = sandbox.books.payments.get(id)
  const form = payment && sandbox.providers.get(payment.provider)?.report
  if (payment?.payment_service_id !== service || !form)
    return problem(409, 'unknown_payment', 'the payment service does not know of it')
  const currency = body.currency ?? payment.currency
  const exchangeRate = currency === payment.currency ? null : body.exchange_rate
  const amounts = withFees(
    { kind, gross, grossCurrency: payment.currency, currency, exchangeRate },
    fees ? { interchange: fees.interchange, markup: fees.markup, schemeFee: fees.scheme_fee } : undefined,
  )
  if (gross * (exchangeRate ?? 1) > MAX_AMOUNT)
    return problem(409, 'amount', 'that is more than a report can say')
  if (amounts.net < 0) return problem(409, 'fees', 'the fees are more than the amount')
  const now = sandbox.clock.now()
  const line: SettlementLine = {
    id: `${kind}_${sandbox.ids.next()}`,
    payment: id,
    refund,
    ...amounts,
    postedAt: now,
  }
  storePostedLine(sandbox, service, line)
  const day = Math.floor(now / DAY_MS) * DAY_MS
  const lines = settlementLines(sandbox, service, day, now + 1).filter((each) => each.payment === id)
  return json(200, {
    name: form.name(new Date(day).toISOString().slice(0, 10)),
    report: formatReport(lines, form),
  })
}
