import { timeOf } from '../../base/clock.ts'
import type { StoredCredential } from '../../connectors/contract/call.ts'
import type { VaultEffect } from '../../operations/journal/intend-payment.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import { newStoredCard, toJsonRow } from '../../vault/payment-methods/stored-card.ts'
import { newTokenMethod } from '../../vault/payment-methods/token-method.ts'
import type { World } from '../../world.ts'
import type { Draft } from './draft.ts'
import type { Payer } from './payer.ts'
import type { Tender } from './tender.ts'

/**
 * What the payment does in the vault, in its own commit: it uses a stored method, or stores its card
 * (`store`, semantics §3.9). A card behind a provider's token and a buyer's account are stored without a
 * number; the commit of the approval adds the payment service's token (`outcome/stored-token.ts`). A method that is stored without a
 * payment is there from the beginning. Undefined: neither.
 */
export async function vaultEffect(
  world: World,
  account: string,
  draft: Draft,
  tender: Tender | undefined,
  { buyer }: Payer,
  { withoutPayment }: { withoutPayment: boolean },
): Promise<(VaultEffect & { id: string }) | undefined> {
  if (tender?.storedMethod) return { does: 'uses', id: tender.storedMethod.id }
  if (!draft.store || !tender) return undefined
  const now = timeOf(world.clock)
  const byCustomer = !draft.merchant_initiated
  const members: Partial<PaymentMethodRow> = {
    provisional: !withoutPayment,
    buyer_id: buyer?.id ?? null,
    external_identifier: externalIdentifierToStore(draft),
    ...(!withoutPayment && {
      usage_count: 1,
      last_used_at: now,
      cit_usage_count: byCustomer ? 1 : 0,
      cit_last_used_at: byCustomer ? now : null,
    }),
  }
  const row = tender.card
    ? await newStoredCard(world, account, tender.card, members)
    : tender.tokenized && newTokenMethod(world, account, tender.tokenized, members)
  return row && { does: 'keeps', id: row.id, row: toJsonRow(row) }
}

/** The merchant's identifier of a method that is to be stored; null: none. */
export const externalIdentifierToStore = ({ payment_method: method }: Draft) =>
  method && 'external_identifier' in method ? (method.external_identifier ?? null) : null

/**
 * The stored-credential data that card schemes require if the merchant stores the card, or has stored it;
 * undefined: the card is not stored.
 */
export function storedCredentialOf(draft: Draft, tender: Tender | undefined): StoredCredential | undefined {
  const { payment_source: source, merchant_initiated: byMerchant } = draft
  const reason =
    source === 'recurring' || source === 'installment' || source === 'card_on_file' ? source : 'card_on_file'
  const isStored = tender?.storedMethod !== undefined || draft.store || source === reason
  if (!tender || !isStored) return undefined
  const schemeTransactionId =
    draft.previous_scheme_transaction_id ?? tender.storedMethod?.scheme_transaction_id ?? null
  const transactionLinkId =
    draft.previous_transaction_link_id ?? tender.storedMethod?.transaction_link_id ?? null
  const isSubsequent = draft.is_subsequent_payment || schemeTransactionId !== null
  return {
    initiator: byMerchant ? 'merchant' : 'customer',
    usage: isSubsequent ? 'subsequent' : 'first',
    reason,
    schemeTransactionId,
    transactionLinkId,
  }
}

/**
 * Whether a success of this payment would change nothing of the stored method: it has succeeded before, and
 * either it has a scheme transaction id for later payments to refer to, or the merchant initiates this
 * payment, which cannot become that reference.
 */
export const isStoredMethodProven = (
  method: PaymentMethodRow | undefined,
  { merchant_initiated: byMerchant }: Draft,
): boolean => method?.status === 'succeeded' && (byMerchant || method.scheme_transaction_id !== null)
