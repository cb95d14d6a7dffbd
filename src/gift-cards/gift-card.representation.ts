import type { Selectable } from 'kysely'
import { type BuyerRow, showBuyer } from '../buyers/buyer.store.ts'
import type { GiftCardBalance } from '../connectors/contract/gift-card-connector.ts'
import type { GiftCardTable } from '../database/tables/vault.ts'
import { timestamp, timestampOrNull } from '../database/timestamp.ts'
import { type GiftCardDigits, giftCardDigits } from '../vault/secrets/gift-card-secret.ts'
import type { GiftCard, GiftCardSummary } from './gift-card.schema.ts'
import type { GiftCardServiceRow } from './services/gift-card-service.store.ts'
import { showGiftCardServiceSummary } from './services/service-call.ts'

export type GiftCardRow = Selectable<GiftCardTable>

type Usage = Pick<GiftCardRow, 'usage_count' | 'cit_usage_count' | 'last_used_at' | 'cit_last_used_at'>

const neverUsed: Usage = { usage_count: 0, cit_usage_count: 0, last_used_at: null, cit_last_used_at: null }

const usageOf = ({ usage_count, cit_usage_count, last_used_at, cit_last_used_at }: Usage): Usage => ({
  usage_count,
  cit_usage_count,
  last_used_at,
  cit_last_used_at,
})

const digitsOf = ({ bin, sub_bin, last4 }: GiftCardDigits): GiftCardDigits => ({ bin, sub_bin, last4 })

/** A stored card, without its number and PIN. */
export const showGiftCard = (
  row: GiftCardRow,
  service: GiftCardServiceRow,
  buyer: BuyerRow | undefined,
): GiftCard => ({
  type: 'gift-card',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  gift_card_service: showGiftCardServiceSummary(service),
  ...digitsOf(row),
  expiration_date: row.expiration_date,
  buyer: buyer ? showBuyer(buyer) : null,
  created_at: row.created_at,
  updated_at: row.updated_at,
  ...usageOf(row),
})

/** A card that is not stored: its id cannot be found again. */
export const showTransientCard = (
  card: Pick<GiftCard, 'id' | 'merchant_account_id' | 'expiration_date' | 'created_at'> & { number: string },
  service: GiftCardServiceRow,
): GiftCard => {
  const { number, ...rest } = card
  const created_at = timestamp(card.created_at)
  const expiration_date = timestampOrNull(card.expiration_date)
  const shown = {
    ...rest,
    ...giftCardDigits(number),
    expiration_date,
    buyer: null,
    created_at,
    updated_at: created_at,
    ...neverUsed,
  }
  return { type: 'gift-card', gift_card_service: showGiftCardServiceSummary(service), ...shown }
}

/** A stored card with its balance. */
export const summaryOfStored = (row: GiftCardRow, balance: GiftCardBalance): GiftCardSummary => ({
  type: 'gift-card',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  ...digitsOf(row),
  ...balanceMembers(balance, row.expiration_date),
  ...usageOf(row),
})

/** A card that the request names by its number, with its balance. */
export const summaryOfNumber = (
  account: string,
  number: string,
  balance: GiftCardBalance,
): GiftCardSummary => ({
  type: 'gift-card',
  id: null,
  merchant_account_id: account,
  ...giftCardDigits(number),
  ...balanceMembers(balance, null),
  ...neverUsed,
})

/** A balance, or why there is none: `service_network_error` if the service does not answer. */
function balanceMembers(balance: GiftCardBalance, storedExpiry: string | null) {
  const unknown = { balance: null, currency: null, expiration_date: storedExpiry }
  if (balance.status === 'lost')
    return {
      ...unknown,
      balance_error_code: 'service_network_error' as const,
      balance_raw_error_code: null,
      balance_raw_error_message: balance.reason,
    }
  if (balance.status === 'refused')
    return {
      ...unknown,
      balance_error_code: balance.code,
      balance_raw_error_code: balance.rawCode,
      balance_raw_error_message: balance.rawMessage,
    }
  const { expirationDate: expiration_date, currency, balance: amount } = balance
  return {
    balance: amount,
    currency,
    expiration_date: timestampOrNull(expiration_date) ?? storedExpiry,
    balance_error_code: null,
    balance_raw_error_code: null,
    balance_raw_error_message: null,
  }
}
