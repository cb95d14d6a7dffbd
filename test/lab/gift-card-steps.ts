import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'
import type { GiftCardProviderBooks } from '../support/checks/gift-card-differences.ts'
import type { Answer } from '../support/railyard.ts'
import { networkFaults } from './network.ts'
import { followUpOf, giftCardNumber, OVERDUE_MS, pay, recover } from './requests.ts'
import { answerSummary, type Story, Violation } from './story.ts'

/** The balance of a card that payments share, and its PIN. */
const [SHARED, SHARED_PIN] = [50_00, '05000']

const isOfGiftCards = ({ url }: HttpRequest) => /\/(redemptions|issuances|activations)(\/|$)/.test(url)

/**
 * While the gift card service has a payment's redemption, or the refund of one, another payment is made with the
 * same card, everything is refunded, or recovery looks.
 */
export async function payWithOneGiftCard(timeline: Story): Promise<string> {
  const { chance, coverage, stage, payments } = timeline
  const card = { number: giftCardNumber(chance), pin: SHARED_PIN }
  const payment = () =>
    pay(timeline, { isWallet: false, giftCards: [{ ...card, amount: chance.between(10_00, SHARED) }] })
  const before = await payment()
  const earlier = payments.at(-1)
  const first = () =>
    earlier && chance.odds(0.4)
      ? followUpOf(timeline, earlier, chance.pick(['refund-all', 'void']))
      : payment()
  const point = chance.pick(['before send', 'after send'] as const)
  const { isHeld, work } = await stage.points.hold(point, first, isOfGiftCards)
  if (isHeld) coverage.hit('gift card: shared')
  const others: string[] = []
  for (let count = chance.between(1, 3); count > 0; count--) {
    const next = chance.pick(['payment', 'refund', 'recovery'] as const)
    if (next === 'recovery' || (next === 'refund' && !earlier)) {
      stage.clock.advance(OVERDUE_MS)
      others.push(await recover(timeline))
    } else if (next === 'refund' && earlier) others.push(await followUpOf(timeline, earlier, 'refund-all'))
    else others.push(await payment())
  }
  stage.points.goOn()
  return `${before}; ${isHeld ? `waits ${point}` : 'does not wait'}: ${await work}; beside it ${others.join('; ')}`
}

/** Requests that a gift card service carries out once, however often they are sent under one key. */
const once = [
  {
    kind: 'issue',
    done: 'issued',
    path: '/gift-cards/issuances',
    body: (timeline: Story) => ({
      theme: 'birthday',
      amount: timeline.chance.between(5_00, 99_00),
      currency: 'EUR',
    }),
  },
  {
    kind: 'activate',
    done: 'activated',
    path: '/gift-cards/activations',
    body: (timeline: Story) => ({
      number: giftCardNumber(timeline.chance),
      pin: SHARED_PIN,
      amount: timeline.chance.between(5_00, 99_00),
      currency: 'EUR',
    }),
  },
]

/** Two requests at the same moment under one key, and repetitions until there is an answer. */
export async function issueOrActivateTwice(timeline: Story): Promise<string> {
  const { chance, coverage, merchant, stage } = timeline
  const { kind, done, path, body: draw } = chance.pick(once)
  const [body, key] = [draw(timeline), timeline.next()]
  const send = () => merchant.post(path, body, { 'idempotency-key': key })
  const before = await booked(timeline, kind)
  const { isHeld, work } = await stage.points.hold(
    chance.pick(['before send', 'after send'] as const),
    send,
    isOfGiftCards,
  )
  if (isHeld) coverage.hit(`gift card: ${done}`)
  if (chance.odds(0.6)) stage.network.strike(chance.pick(networkFaults), 1, 0)
  const second = await send()
  stage.points.goOn()
  const answers = [await work, second]
  stage.network.mend()
  for (let times = 0; times < 5 && !isFinal(answers.at(-1)); times++) answers.push(await send())
  const wrong = onceProblem(answers, (await booked(timeline, kind)) - before)
  if (wrong) throw new Violation(`a gift card is ${done} once under one key: ${wrong}`)
  return `${done}, ${isHeld ? 'and' : 'not'} at the same moment: ${answers.map(answerSummary).join(', ')}`
}

const isFinal = (answer: Answer | undefined) => answer !== undefined && answer.status === 201

/** What contradicts that all requests under one key had one effect at most; undefined: nothing. */
function onceProblem(answers: readonly Answer[], effects: number): string | undefined {
  const successes = answers.filter(isFinal)
  if (new Set(successes.map(({ body }) => JSON.stringify(body))).size > 1)
    return 'it was answered in two ways'
  if (effects > 1) return `the gift card service did it ${effects} times`
  if (successes.length > 0 && effects === 0) return 'the gift card service did not do it'
  return undefined
}

/** How many such operations of the merchant's gift card service are approved in its books. */
export async function booked(
  { merchant, stage }: Pick<Story, 'merchant' | 'stage'>,
  kind: string,
): Promise<number> {
  const books: { gift_cards: GiftCardProviderBooks } = JSON.parse(
    await (await fetch(`${stage.railyard.simulatorUrl}/books`)).text(),
  )
  return books.gift_cards.operations.filter(
    (operation) =>
      operation.payment_service_id === merchant.giftCards &&
      operation.kind === kind &&
      operation.status === 'approved',
  ).length
}
