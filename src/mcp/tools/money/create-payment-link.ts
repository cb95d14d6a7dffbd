import { Type } from 'typebox'
import { Amount, Country, Currency, Described, Text, Timestamp } from '../../../api/schema.ts'
import { TransactionIntent } from '../../../checkout/payment-terms.schema.ts'
import type { PaymentLink } from '../../../payment-links/payment-link.schema.ts'
import { send } from '../../call-api.ts'
import { changes, Input, tool } from '../../tool.ts'
import { type ActionAnswer, ActionOutput, actionInput, dryRunSentence } from './action.ts'

export const createPaymentLink = tool({
  name: 'create_payment_link',
  title: 'Create a payment link',
  description:
    'Makes a page on which a buyer pays once, and answers its URL for you to pass on. No money moves until the buyer pays. Everyone who has the URL can pay.',
  input: Input({
    amount: Described(Amount, 'In the smallest unit of the currency: 1299 is 12.99 EUR'),
    currency: Described(Currency, 'ISO 4217'),
    country: Described(Country, 'Where the buyer is: ISO 3166-1 alpha-2'),
    intent: Described(
      TransactionIntent,
      '`capture` takes the money at once, `authorize` only reserves it for capture_payment',
    ),
    external_identifier: Type.Optional(Described(Text(1, 200), 'The merchant’s order number')),
    merchant_message: Type.Optional(Described(Text(1, 255), 'A text for the buyer, on the page')),
    expires_at: Type.Optional(Described(Timestamp, 'ISO 8601 with offset; absent: after 24 hours')),
    ...actionInput,
  }),
  output: ActionOutput,
  annotations: changes(false),
  scopes: ['payment-links.write'],
  async run({ reason: _, request_id, dry_run, ...body }, { call, dryRun }): Promise<ActionAnswer> {
    const nothing = { result: null, proposal: null, dry_run: null, payment: null }
    if (dry_run) {
      const tried = await dryRun({ kind: 'payment-link', body })
      return { ...nothing, state: 'dry_run', summary: dryRunSentence(tried), dry_run: tried }
    }
    const link = await send<PaymentLink>(call, {
      method: 'POST',
      path: '/payment-links',
      body,
      idempotencyKey: request_id,
    })
    return {
      ...nothing,
      state: 'done',
      summary: 'The link was made. Nothing is paid until the buyer opens it and pays.',
      result: { id: link.id, status: link.status, error_code: null, url: link.url },
    }
  },
})
