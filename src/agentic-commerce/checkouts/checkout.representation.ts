import { PROTOCOL_VERSION } from '../../checkout/delegated-payments/protocol.ts'
import { timestamp } from '../../database/timestamp.ts'
import { findTransaction } from '../../transactions/transaction.store.ts'
import { showTransaction } from '../../transactions/views/transaction.representation.ts'
import type { World } from '../../world.ts'
import { readOrderPayment } from '../orders/order.store.ts'
import { showOrder } from '../orders/order.ts'
import type { AgenticMessage } from '../prices/price.schema.ts'
import type { AgenticCheckout } from './checkout.schema.ts'
import type { AgenticCheckoutRow } from './checkout.store.ts'

/** What a checkout shows of its payment. */
interface Progress {
  status: AgenticCheckout['status']
  /** Where the buyer answers the issuer of the card. */
  continueUrl?: string
  order?: AgenticCheckout['order']
}

/** A checkout as the platform sees it (agentic_checkout, 2026-04-17). */
export async function showCheckout(world: World, row: AgenticCheckoutRow): Promise<AgenticCheckout> {
  const { status, continueUrl, order } = await progressOf(world, row)
  const { buyer, fulfillment_details, fulfillment_groups, locale, timezone, quote_id, metadata } = row.request
  return {
    id: row.id,
    protocol: { version: PROTOCOL_VERSION },
    capabilities: capabilitiesOf(world, row),
    status,
    currency: row.currency.toLowerCase(),
    ...(buyer && { buyer }),
    ...(fulfillment_details && { fulfillment_details }),
    ...(fulfillment_groups && { fulfillment_groups }),
    ...(locale !== undefined && { locale }),
    ...(timezone !== undefined && { timezone }),
    ...(quote_id !== undefined && { quote_id }),
    ...(metadata && { metadata }),
    ...row.price,
    messages: [...messagesOf(row, status), ...row.price.messages],
    ...(continueUrl !== undefined && { continue_url: continueUrl }),
    ...(order && { order }),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    expires_at: timestamp(row.expires_at),
  }
}

async function progressOf(world: World, row: AgenticCheckoutRow): Promise<Progress> {
  const { merchant_account_id: account, transaction_id: payment } = row
  if (row.status === 'canceled') return { status: 'canceled' }
  if (row.status === 'completed' && payment !== null) {
    const paid = await readOrderPayment(world, account, payment)
    // what became of a payment that is gone is not known, so neither is the state of its order
    return { status: 'completed', ...(paid && { order: showOrder(row, paid) }) }
  }
  if (row.status === 'completing' && payment !== null) {
    const transaction = await findTransaction(world, account, payment)
    const continueUrl = transaction && showTransaction(transaction).payment_method?.approval_url
    return continueUrl ? { status: 'requires_escalation', continueUrl } : { status: 'complete_in_progress' }
  }
  if (Date.parse(row.expires_at) <= world.clock.now()) return { status: 'expired' }
  return { status: row.ready ? 'ready_for_payment' : 'not_ready_for_payment' }
}

/** What Railyard says beside the merchant. */
function messagesOf({ error_code }: AgenticCheckoutRow, status: AgenticCheckout['status']): AgenticMessage[] {
  const problem = { type: 'error', content_type: 'plain' } as const
  if (status === 'requires_escalation')
    return [
      {
        ...problem,
        code: 'requires_3ds',
        resolution: 'requires_buyer_review',
        content: 'The card’s issuer asks the cardholder to approve the payment at continue_url.',
      },
    ]
  if (status === 'ready_for_payment' && error_code !== null)
    return [
      {
        ...problem,
        code: 'payment_declined',
        resolution: 'requires_buyer_input',
        param: '$.payment_data',
        content: 'The last payment was declined. The checkout can be completed with another one.',
      },
    ]
  return []
}

/**
 * The protocol's handler for cards that a platform delegates by `POST /agentic_commerce/delegate_payment`
 * (payment handlers, 2026-01-22), and the interventions that both sides can do.
 */
function capabilitiesOf(
  { settings }: Pick<World, 'settings'>,
  { merchant_account_id, request }: AgenticCheckoutRow,
): AgenticCheckout['capabilities'] {
  const asked = request.capabilities?.interventions?.supported ?? []
  return {
    payment: {
      handlers: [
        {
          id: CARD_HANDLER,
          name: 'dev.acp.tokenized.card',
          display_name: 'Card',
          version: '2026-01-22',
          spec: 'https://acp.dev/handlers/tokenized.card',
          requires_delegate_payment: true,
          requires_pci_compliance: false,
          psp: 'railyard',
          config_schema: 'https://acp.dev/schemas/handlers/tokenized.card/config.json',
          instrument_schemas: ['https://acp.dev/schemas/handlers/tokenized.card/instrument.json'],
          config: {
            merchant_id: merchant_account_id,
            psp: 'railyard',
            environment: settings.environment,
          },
        },
      ],
    },
    interventions: { supported: asked.filter((each) => each === '3ds') },
  }
}

export const CARD_HANDLER = 'card'
