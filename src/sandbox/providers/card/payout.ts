import { outcomeForAmount } from '../../core/amounts.ts'
import { newResult, type OperationDecision } from '../../core/processing.ts'
import type { Sandbox } from '../../sandbox.ts'
import type { CardPayout } from './card.schema.ts'
import { findStoredCard } from './card-token.ts'
import { cardDigits } from './checks.ts'

/** Decides a payout by its amount. Null: its stored card does not exist. */
export function decidePayout(
  sandbox: Sandbox,
  service: string,
  key: string,
  body: CardPayout,
): OperationDecision | null {
  const { amount, currency, notification_url } = body
  const numbered = body.card ?? body.network_token
  const card = numbered ? cardDigits(numbered.number) : findStoredCard(sandbox, service, body.token ?? '')
  if (!card) return null
  const id = sandbox.ids.next()
  return {
    result: {
      ...newResult(sandbox, { key, kind: 'payout', amount, currency }, outcomeForAmount('payout', amount)),
      id: `pyo_${id}`,
      payment_id: `pyo_${id}`,
    },
    opening: { card, notification_url: notification_url ?? null, provider: 'card' },
  }
}
