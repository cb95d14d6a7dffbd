import { showCartItem } from '../checkout/cart-item.ts'
import { redactor } from '../connectors/wire/redact.ts'
import { timestamp } from '../database/timestamp.ts'
import { showBuyer } from '../transactions/views/transaction.representation.ts'
import type { World } from '../world.ts'
import type { PaymentLink } from './payment-link.schema.ts'
import { linkUrl, openLink, type PaymentLinkRow } from './payment-link.ts'

/** A link as the API shows it. Card numbers in connection options are masked. */
export function showPaymentLink(
  world: Pick<World, 'cipher' | 'publicUrl'>,
  row: PaymentLinkRow,
): PaymentLink {
  const { token, connectionOptions } = openLink(world, row)
  const { details } = row
  return {
    type: 'payment-link',
    id: row.id,
    url: linkUrl(world, token),
    status: row.status,
    declines: row.declines,
    expires_at: timestamp(row.expires_at),
    amount: row.amount,
    country: row.country,
    currency: row.currency,
    intent: row.intent,
    payment_source: row.payment_source,
    store: row.store,
    buyer: row.buyer && showBuyer(row.buyer),
    buyer_id: row.buyer_id,
    shipping_details: showShipping(row),
    external_identifier: row.external_identifier,
    statement_descriptor: details.statement_descriptor ?? null,
    metadata: row.metadata,
    cart_items: details.cart_items?.map(showCartItem) ?? null,
    connection_options: connectionOptions ? optionsOf(connectionOptions) : null,
    installment_count: details.installment_count ?? null,
    locale: details.locale ?? null,
    merchant_name: details.merchant_name ?? null,
    merchant_url: details.merchant_url ?? null,
    merchant_banner_url: details.merchant_banner_url ?? null,
    merchant_color: details.merchant_color ?? null,
    merchant_message: details.merchant_message ?? null,
    merchant_terms_and_conditions_url: details.merchant_terms_and_conditions_url ?? null,
    merchant_favicon_url: details.merchant_favicon_url ?? null,
    return_url: details.return_url ?? null,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

const redact = redactor(undefined)
/** A connector whose options are null is left out. */
const optionsOf = (connectionOptions: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(connectionOptions).flatMap(([connector, options]) =>
      options === null ? [] : [[connector, redact(options)]],
    ),
  )

function showShipping({ details: { guest } }: PaymentLinkRow): PaymentLink['shipping_details'] {
  const shipping = guest?.shipping_details
  if (!shipping) return null
  return {
    type: 'shipping-details',
    id: null,
    buyer_id: null,
    first_name: shipping.first_name ?? null,
    last_name: shipping.last_name ?? null,
    email_address: shipping.email_address ?? null,
    phone_number: shipping.phone_number ?? null,
    address: shipping.address ?? null,
  }
}
