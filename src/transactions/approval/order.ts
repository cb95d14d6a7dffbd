import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import type { BrowserForCall, OrderForCall, PurchaseForCall } from '../../connectors/contract/call.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { returnUrl } from './approval-links.ts'

/** The buyer approves an order at the payment service before it is paid, not the payment itself. */
export const paysOrder = ({ approval }: Pick<TransactionRow, 'approval'>): boolean =>
  approval !== null && approval.asks === undefined

/** The order that the buyer approves at the payment service; undefined: the payment service asks no buyer. */
export async function orderOf(world: World, row: TransactionRow): Promise<OrderForCall | undefined> {
  const { approval } = row
  if (!approval || !paysOrder(row)) return undefined
  return { ...(await purchaseOf(world, row)), integrationClient: approval.integration_client }
}

/** What is bought, and by which buyer. */
export async function purchaseOf(world: World, row: TransactionRow): Promise<PurchaseForCall> {
  const account = await cachedMerchantAccount(world, row.merchant_account_id)
  const billing = row.buyer?.billing_details ?? null
  const returnTo = (result: 'approved' | 'cancelled' | 'failed') =>
    returnUrl(world, row.merchant_account_id, row.id, result)
  return {
    transaction: row.id,
    intent: row.intent,
    country: row.country,
    lines: (row.details.cart_items ?? []).map((item) => ({
      ...item,
      product_type: item.product_type ?? item.type ?? null,
    })),
    shipping: row.shipping_details,
    buyer: row.buyer && {
      id: row.buyer.id ?? null,
      name: row.buyer.display_name ?? null,
      email: billing?.email_address ?? null,
      billing,
    },
    browser: browserOf(row),
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

/** The buyer's browser as the merchant described it; null: not described. */
export function browserOf({
  details: { browser_info: browser },
  ip_address,
}: TransactionRow): BrowserForCall | null {
  if (!browser) return null
  const { user_device: _device, accept_header, ...properties } = browser
  return { ...properties, accept_header: accept_header ?? null, ip_address }
}
