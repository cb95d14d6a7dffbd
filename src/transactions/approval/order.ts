import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import type { OrderForCall } from '../../connectors/contract/call.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { returnUrl } from './approval-links.ts'

/** The order that the buyer approves at the payment service; undefined: the payment service asks no buyer. */
export async function orderOf(world: World, row: TransactionRow): Promise<OrderForCall | undefined> {
  if (!row.approval || row.approval.asks === 'issuer') return undefined
  const account = await cachedMerchantAccount(world, row.merchant_account_id)
  const billing = row.buyer?.billing_details ?? null
  const returnTo = (result: 'approved' | 'cancelled' | 'failed') =>
    returnUrl(world, row.merchant_account_id, row.id, result)
  return {
    integrationClient: row.approval.integration_client,
    intent: row.intent,
    country: row.country,
    lines: (row.details.cart_items ?? []).map((item) => ({
      ...item,
      product_type: item.product_type ?? item.type ?? null,
    })),
    shipping: row.shipping_details,
    buyer: row.buyer && {
      name: row.buyer.display_name ?? null,
      email: billing?.email_address ?? null,
      billing,
    },
    description: row.details.description ?? null,
    statementDescriptor: row.details.statement_descriptor?.name ?? null,
    reference: row.external_identifier ?? row.id,
    merchantName: account?.display_name ?? row.merchant_account_id,
    returnUrls: {
      approved: returnTo('approved'),
      cancelled: returnTo('cancelled'),
      failed: returnTo('failed'),
    },
  }
}
