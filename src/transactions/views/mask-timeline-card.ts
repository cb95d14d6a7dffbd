import { isJsonObject } from '../../api/values/json-object.ts'
import { shownBin } from '../../vault/cards/card.ts'
import { shownFingerprint } from '../../vault/cards/card-fingerprint.ts'
import type { TransactionRow } from '../transaction.row.ts'

type Members = Readonly<Record<string, unknown>>
const maskedBin = ({ bin }: Members) => (typeof bin === 'string' ? { bin: shownBin(bin) } : {})

/**
 * Masks the card in a timeline entry, so that the entry shows no more of it than the payment does. Entries of
 * earlier versions have eight first digits, and in the request to an anti-fraud service a fingerprint that is
 * the same in every account.
 */
export function maskCardInEntry(
  context: Members,
  { payment_method: method }: Pick<TransactionRow, 'payment_method'>,
): Members {
  const { request } = context
  const card =
    isJsonObject(request) && isJsonObject(request['card']) && 'fingerprint' in request['card']
      ? request['card']
      : undefined
  return {
    ...context,
    ...maskedBin(context),
    ...(isJsonObject(request) &&
      card && {
        request: {
          ...request,
          card: { ...card, ...maskedBin(card), fingerprint: shownFingerprint(method?.fingerprint) },
        },
      }),
  }
}
