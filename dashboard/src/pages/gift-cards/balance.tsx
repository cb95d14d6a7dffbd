import type { GiftCardSummary } from '@railyard/client'
import type { ReactNode } from 'react'
import { Notice } from '../../parts/messages/notice.tsx'
import { Amount } from '../../parts/values/values.tsx'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'
import { Expiry } from './expiry.tsx'

/** What a gift card service says of a card. */
export function Balance({ card }: { card: GiftCardSummary }): ReactNode {
  const { balance, currency, balance_error_code, balance_raw_error_message, expiration_date } = card
  if (balance === null || balance_error_code)
    return (
      <Notice tone="bad">
        <p className="font-medium">{balance_error_code?.replaceAll('_', ' ') ?? words.notKnown}</p>
        {balance_raw_error_message && <p className="wrap-anywhere">{balance_raw_error_message}</p>}
      </Notice>
    )
  return (
    <Notice tone={balance > 0 ? 'good' : 'warn'}>
      <p>
        {words.balanceIs}{' '}
        <strong className="text-lg">
          {balance === 0 ? (
            words.empty
          ) : currency ? (
            <Amount of={balance} currency={currency} />
          ) : (
            words.units(balance)
          )}
        </strong>
      </p>
      <p>
        {currency && words.boundTo(currency)}{' '}
        {expiration_date && (
          <>
            {words.expires} <Expiry date={expiration_date} />
          </>
        )}
      </p>
    </Notice>
  )
}
