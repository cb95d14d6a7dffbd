import type { Transaction } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag, type Tone } from '../../parts/values/tag.tsx'
import { Amount, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { moneyWords as words } from '../../words/payments/money.ts'

interface Move {
  id: string
  what: string
  status?: string | undefined
  amount: number
  currency: string
  at: string
  to?: string
}

const tones: Record<string, Tone> = {
  succeeded: 'good',
  won: 'good',
  failed: 'bad',
  declined: 'bad',
  lost: 'bad',
  processing: 'warn',
  pending: 'warn',
}

/** Captures, refunds, disputes and settlements of a payment, the newest first; nothing before there is one. */
export function MoneyMoved({ payment }: { payment: Transaction }): ReactNode {
  const { id } = payment
  const { account } = useSignedIn()
  const maySeeDisputes = useMay('disputes.read')
  const query = useLoad(
    ['transactions', id, 'moves', maySeeDisputes],
    async (api, signal): Promise<Move[]> => {
      const of = { signal }
      const [captured, refunded, disputed, settled, refundSettled, charged, reversed] = await Promise.all([
        api.transactions.captures.list(id, of).page(),
        api.transactions.refunds.list(id, of).page(),
        maySeeDisputes ? every(api.transactions.disputes.list(id, { limit: 100 }, of)) : [],
        api.transactions.settlements.list(id, of).page(),
        api.transactions.refundSettlements.list(id, of).page(),
        api.transactions.chargebacks.list(id, of).page(),
        api.transactions.chargebackReversals.list(id, of).page(),
      ])
      const posted =
        (what: string) => (item: { id: string; amount: number; currency: string; posted_at: string }) => ({
          id: item.id,
          what,
          amount: item.amount,
          currency: item.currency,
          at: item.posted_at,
        })
      return [
        ...captured.items.map((item) => ({ ...item, what: words.capture, at: item.created_at })),
        ...refunded.items.map((item) => ({
          ...item,
          what: words.refund,
          at: item.created_at,
          to: `/${account}/refunds/${item.id}`,
        })),
        ...disputed.map((item) => ({
          ...item,
          what: words.dispute,
          at: item.created_at,
          to: `/${account}/disputes/${item.id}`,
        })),
        ...settled.items.map(posted(words.settlement)),
        ...refundSettled.items.map(posted(words.refundSettlement)),
        ...charged.items.map(posted(words.chargeback)),
        ...reversed.items.map(posted(words.reversal)),
      ].sort((a, b) => b.at.localeCompare(a.at))
    },
  )
  if (query.data?.length === 0) return null
  return (
    <Card title={words.title}>
      <Loaded query={query} lines={2}>
        {(moves) => (
          <ul className="grid gap-2 text-sm">
            {moves.map(({ id: key, what, status, amount, currency, at, to }) => (
              <li key={`${what}-${key}`} className="flex flex-wrap items-center gap-x-3">
                <span className="w-32 text-ink-3">
                  <Time at={at} />
                </span>
                {to ? (
                  <Link to={to} className="underline">
                    {what}
                  </Link>
                ) : (
                  what
                )}
                {status && <Tag tone={tones[status]}>{status}</Tag>}
                <span className="ml-auto font-medium">
                  <Amount of={amount} currency={currency} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
