import { type Body, type FakeBooks, memberOf, moneyOf, textOf, unitsOf } from './fake-books.ts'
import { chargebackBody, movementBody, paymentBody } from './fake-objects.ts'

interface FakeSettlement {
  id: string
  settledAt: number
  lists: Record<string, Body[]>
}

/** What is settled of an object: charges with a sign. */
const settledBody = (body: Body, sign: 1 | -1): Body => {
  const amount = body['amount'] as { value: string; currency: string }
  return { ...body, settlementAmount: moneyOf(sign * unitsOf(amount), amount.currency) }
}

/** The provider's settlements: each has what was not paid out before. */
export function fakeSettlements(books: FakeBooks) {
  const settlements: FakeSettlement[] = []
  const settled = new Set<string>()

  const unsettled = (bodies: readonly Body[], sign: 1 | -1): Body[] =>
    bodies
      .filter((body) => !settled.has(textOf(body['id'])))
      .map((body) => {
        settled.add(textOf(body['id']))
        return settledBody(body, sign)
      })

  function payOut(): string {
    const { payments } = books
    const movements = (resource: 'captures' | 'refunds', status: string) =>
      payments.flatMap((payment) =>
        payment[resource]
          .filter((each) => each.status === status)
          .map((each) => movementBody(books, payment, each)),
      )
    const id = books.nextId('stl')
    settlements.unshift({
      id,
      settledAt: books.now(),
      lists: {
        // a payment that was captured in parts is here, too
        payments: unsettled(
          payments.filter(({ status }) => status === 'paid').map((each) => paymentBody(books, each)),
          1,
        ),
        captures: unsettled(movements('captures', 'succeeded'), 1),
        refunds: unsettled(movements('refunds', 'refunded'), -1),
        chargebacks: unsettled(
          payments.flatMap((payment) =>
            payment.chargebacks.map((each) => chargebackBody(books, payment, each)),
          ),
          -1,
        ),
      },
    })
    return id
  }

  const list = (): Body[] => [
    {
      resource: 'settlement',
      id: 'stl_open',
      settledAt: null,
      status: 'open',
      amount: moneyOf(0, 'EUR'),
      _links: {},
    },
    ...settlements.map(({ id, settledAt }) => ({
      resource: 'settlement',
      id,
      createdAt: books.iso(settledAt),
      settledAt: books.iso(settledAt),
      status: 'paidout',
      amount: moneyOf(0, 'EUR'),
      _links: {},
    })),
  ]

  const items = (id: string, name: string): Body[] | undefined => {
    const lists = settlements.find((each) => each.id === id)?.lists
    const found: unknown = memberOf(lists, name)
    return Array.isArray(found) ? found : undefined
  }

  /** The fees of each type, in the smallest unit. */
  const fees = { payment: 29, capture: 35, refund: 25, chargeback: 15_00 }

  function transactions(): Body[] {
    const booked = (type: keyof typeof fees, bodies: readonly Body[], sign: 1 | -1): Body[] =>
      bodies.map((body) => {
        const amount = body['amount'] as { value: string; currency: string }
        const initial = sign * unitsOf(amount)
        const id = textOf(body['id'])
        return {
          resource: 'balance_transaction',
          id: `baltr_${id}`,
          type,
          initialAmount: moneyOf(initial, amount.currency),
          resultAmount: moneyOf(initial - fees[type], amount.currency),
          deductions: moneyOf(-fees[type], amount.currency),
          context: { paymentId: textOf(body['paymentId'] ?? id), [`${type}Id`]: id },
          createdAt: body['createdAt'],
        }
      })
    const { payments } = books
    const moved = (resource: 'captures' | 'refunds', status: string) =>
      payments.flatMap((payment) =>
        payment[resource]
          .filter((each) => each.status === status)
          .map((each) => movementBody(books, payment, each)),
      )
    return [
      ...booked(
        'payment',
        payments
          .filter(({ status, captures }) => status === 'paid' && captures.length === 0)
          .map((each) => paymentBody(books, each)),
        1,
      ),
      ...booked('capture', moved('captures', 'succeeded'), 1),
      ...booked('refund', moved('refunds', 'refunded'), -1),
      ...booked(
        'chargeback',
        payments.flatMap((payment) =>
          payment.chargebacks.map((each) => chargebackBody(books, payment, each)),
        ),
        -1,
      ),
    ].sort((one, other) => Date.parse(textOf(other['createdAt'])) - Date.parse(textOf(one['createdAt'])))
  }

  return { payOut, list, items, transactions }
}
