import { timeOf } from '../../base/clock.ts'
import type { StoredCredential } from '../../connectors/connector.ts'
import type { VaultEffect } from '../../operations/journal/journal.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import { newStoredCard, toJsonRow } from '../../vault/payment-methods/stored-card.ts'
import type { World } from '../../world.ts'
import type { Draft } from './draft.ts'
import type { Payer } from './payer.ts'
import type { Tender } from './tender.ts'

/** What the payment does to the vault in its own commit: a stored method is used, or its card is stored with it (SEMANTICS §3.9, `store`). */
export async function vaultEffect(
  world: World,
  account: string,
  draft: Draft,
  tender: Tender | undefined,
  { buyer }: Payer,
): Promise<(VaultEffect & { id: string }) | undefined> {
  if (tender?.storedMethod) return { does: 'uses', id: tender.storedMethod.id }
  if (!draft.store || !tender?.card) return undefined
  const now = timeOf(world.clock)
  const byCustomer = !draft.merchant_initiated
  const row = await newStoredCard(world, account, tender.card, {
    provisional: true,
    buyer_id: buyer?.id ?? null,
    external_identifier: externalIdentifierToStore(draft),
    usage_count: 1,
    last_used_at: now,
    cit_usage_count: byCustomer ? 1 : 0,
    cit_last_used_at: byCustomer ? now : null,
  })
  return { does: 'keeps', id: row.id, row: toJsonRow(row) }
}

/** What the merchant calls a method that is to be stored. */
export const externalIdentifierToStore = ({ payment_method: method }: Draft) =>
  method && 'external_identifier' in method ? (method.external_identifier ?? null) : null

/** What the schemes are told where the merchant keeps the credentials, or begins to; undefined for a payment that leaves nothing. */
export function storedCredentialOf(draft: Draft, tender: Tender | undefined): StoredCredential | undefined {
  const { payment_source: source, merchant_initiated: byMerchant } = draft
  const reason = source === 'recurring' || source === 'installment' || source === 'card_on_file' ? source : 'card_on_file'
  const isKept = tender?.storedMethod !== undefined || draft.store || source === reason
  if (!tender || !isKept) return undefined
  const schemeTransactionId = draft.previous_scheme_transaction_id ?? tender.storedMethod?.scheme_transaction_id ?? null
  const transactionLinkId = draft.previous_transaction_link_id ?? tender.storedMethod?.transaction_link_id ?? null
  const isSubsequent = draft.is_subsequent_payment || schemeTransactionId !== null
  return {
    initiator: byMerchant ? 'merchant' : 'customer',
    usage: isSubsequent ? 'subsequent' : 'first',
    reason,
    schemeTransactionId,
    transactionLinkId,
  }
}

/** Whether a success would change nothing of the stored method. A payment that its merchant initiates does not become what later ones refer to. */
export const isStoredMethodProven = (used: PaymentMethodRow | undefined, { merchant_initiated: byMerchant }: Draft): boolean =>
  used?.status === 'succeeded' && (byMerchant || used.scheme_transaction_id !== null)
