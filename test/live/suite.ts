import type { Outcome } from '../../src/connectors/contract/outcome.ts'
import type { LiveProvider } from './providers.ts'
import {
  type LiveOptions,
  type LivePayment,
  openSession,
  outcomeText,
  type Session,
  textOf,
} from './session.ts'

class Unexpected extends Error {}

function expectApproved(what: string, outcome: Outcome, amount: number): void {
  if (outcome.status !== 'approved' || outcome.amount !== amount)
    throw new Unexpected(`${what} is ${outcomeText(outcome)}, and should be approved ${amount}`)
}

/** Some providers decide it later, and tell by a webhook. */
function expectTaken(what: string, outcome: Outcome, amount: number): string {
  if (outcome.status === 'pending') return `${what} accepted, and decided later`
  expectApproved(what, outcome, amount)
  return `${what} approved ${amount}`
}

const transactionOf = (outcome: Outcome | undefined): string | undefined =>
  outcome && 'references' in outcome ? outcome.references.transaction : undefined

async function authorized(session: Session): Promise<LivePayment> {
  const payment = await session.prepare()
  payment.outcome = await session.send(payment)
  payment.outcome = await session.decide(payment)
  expectApproved('the authorization', payment.outcome, payment.operation.amount)
  return payment
}

const release = async (session: Session, payment: LivePayment): Promise<string> =>
  expectTaken(
    'void',
    await session.follow(payment, 'void', payment.operation.amount),
    payment.operation.amount,
  )

/** A step of the suite; answers what was seen. */
type Step = (session: Session, provider: LiveProvider) => Promise<string>

export const steps: Readonly<Record<string, Step>> = {
  'the credentials are accepted': async (session) => {
    const check = await session.verify()
    if (check !== 'accepted') throw new Unexpected(`the credentials: ${check}`)
    return check
  },
  'authorize, capture, refund a part': async (session) => {
    const payment = await authorized(session)
    const { amount } = payment.operation
    const captured = expectTaken('capture', await session.follow(payment, 'capture', amount), amount)
    const refunded = expectTaken('refund', await session.follow(payment, 'refund', 4_00), 4_00)
    return `${transactionOf(payment.outcome)}: ${captured}; ${refunded}`
  },
  'authorize, void': async (session) => {
    const payment = await authorized(session)
    return `${transactionOf(payment.outcome)}: ${await release(session, payment)}`
  },
  'a card without money is declined': async (session) => {
    const payment = await session.prepare({ declined: true })
    payment.outcome = await session.send(payment)
    const outcome = await session.decide(payment, 'decline')
    if (outcome.status !== 'declined' || outcome.code !== 'insufficient_funds')
      throw new Unexpected(`it is ${outcomeText(outcome)}, and should be declined insufficient_funds`)
    return outcomeText(outcome)
  },
  'a lost answer is found': async (session, provider) => {
    const payment = await session.prepare()
    session.loseNext(provider.paysWith)
    const lost = await session.send(payment)
    if (lost.status !== 'unknown') throw new Unexpected(`without its answer it is ${outcomeText(lost)}`)
    const finding = await session.lookUp(payment)
    if (provider.tellsByWebhookOnly) {
      if (finding.status !== 'unsure')
        throw new Unexpected(`without a webhook the books say ${textOf(finding)}`)
      payment.outcome = await session.send(payment, true)
    } else {
      if (finding.status !== 'found') throw new Unexpected(`the books say ${textOf(finding)}`)
      payment.outcome = finding.outcome
    }
    payment.outcome = await session.decide(payment)
    expectApproved('the found payment', payment.outcome, payment.operation.amount)
    return `${textOf(finding)}; ${await release(session, payment)}`
  },
  'the same key makes one payment': async (session) => {
    const payment = await session.prepare()
    payment.outcome = await session.send(payment)
    const first = transactionOf(payment.outcome)
    const again = await session.send(payment, true)
    if (first === undefined || transactionOf(again) !== first)
      throw new Unexpected(`the first is ${first}, the second ${transactionOf(again)} ${outcomeText(again)}`)
    payment.outcome = await session.decide(payment)
    expectApproved('the payment', payment.outcome, payment.operation.amount)
    return `${first}: ${await release(session, payment)}`
  },
}

/** Runs the suite against a provider; true: every step passed. */
export async function runSuite(provider: LiveProvider, options: LiveOptions): Promise<boolean> {
  const session = openSession(provider, options)
  let failures = 0
  for (const [name, step] of Object.entries(steps)) {
    try {
      options.print(`ok    ${name} (${await step(session, provider)})`)
    } catch (error) {
      failures += 1
      options.print(`FAIL  ${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  options.print(
    `${Object.keys(steps).length - failures} of ${Object.keys(steps).length} passed${failures > 0 ? '' : '.'}`,
  )
  return failures === 0
}
