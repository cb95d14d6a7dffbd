import fc from 'fast-check'
import { type ApiDocument, type Operation, operationsOf, valueFor } from '../support/checks/schema-values.ts'
import { newGiftCard } from '../support/domains/gift-cards.ts'
import { card, type TestRailyard } from '../support/railyard.ts'
import { answerChecker, type Received } from './check-answer.ts'
import { exchanger } from './exchange.ts'
import { createMerchantData, type MerchantData } from './merchant-data.ts'
import { type Request, requestsTo } from './requests.ts'

export interface Plan {
  requests: number
  seed: number
  /** The milliseconds after which a request counts as hanging. */
  patience: number
  progress?: (line: string) => void
}

/** A problem, and the request that shows it. */
export interface Finding {
  wrong: string
  request: string
  body: string | undefined
  answer: Received | undefined
}

export interface Figures {
  requests: number
  /** The ones of these that match the schema. */
  shaped: number
  statuses: Record<number, number>
  slowestMs: number
  findings: Finding[]
}

const AT_ONCE = 4
const MAX_TRIES = 4
/** Payments have the most rules. */
const PAYMENT_WEIGHT = 5
const CANARY = 'canary7d1f'

/**
 * Operations that are not fuzzed: a fault would delay every payment here, and so would ten years of an
 * account's jobs.
 */
const left = new Set(['set_sandbox_faults', 'advance_sandbox_clock'])

/**
 * Sends requests to every operation of the API document as one merchant, mostly malformed ones, and looks for
 * another merchant's data in the answers.
 */
export async function fuzz(
  railyard: TestRailyard,
  { requests: wanted, seed, patience, progress = () => undefined }: Plan,
): Promise<Figures> {
  const document: ApiDocument = (await railyard.send('GET', '/openapi.json')).body
  const own = await createMerchantData(railyard, 'own')
  const other = await createMerchantData(railyard, CANARY)
  const complaint = answerChecker(document, { patience, secrets: [CANARY, ...idsOf(other)] })
  const operations = operationsOf(document).filter(({ id }) => !left.has(id))
  const { exchange, close } = exchanger(railyard.url, AT_ONCE)
  const figures: Figures = { requests: 0, shaped: 0, statuses: {}, slowestMs: 0, findings: [] }

  for (let round = 0; figures.requests < wanted; round++) {
    const each = Math.ceil(
      Math.min(wanted - figures.requests, MAX_PER_ROUND) / (operations.length + PAYMENT_WEIGHT - 1),
    )
    // a checkout session's id is its credential, which no merchant gives to another
    const ofOwn = { session_id: own.known['session_id'], checkout_session_id: own.known['session_id'] }
    const theirs = { ...other, known: { ...other.known, ...ofOwn } }
    const values = valuesOf(document, own, round % 6 === 5 ? theirs : own)
    const queue = operations.flatMap((operation, index) =>
      fc.sample(
        requestsTo(operation, values(operation), {
          token: own.merchant.token,
          account: own.merchant.account,
          oddities: 6,
        }),
        {
          numRuns: operation.id === 'create_transaction' ? PAYMENT_WEIGHT * each : each,
          seed: seed + 1_000 * round + index,
        },
      ),
    )
    // operations mixed, the same way each time
    queue.sort((a, b) => a.path.length - b.path.length)
    await Promise.all(Array.from({ length: AT_ONCE }, () => work(queue)))
    progress(`${figures.requests} requests, ${figures.findings.length} findings`)
  }
  close()
  return figures

  async function work(queue: Request[]): Promise<void> {
    for (let request = queue.pop(); request; request = queue.pop()) {
      figures.requests++
      if (request.isShaped) figures.shaped++
      await ask(request)
    }
  }

  async function ask(request: Request): Promise<void> {
    const finding = (wrong: string, answer?: Received) =>
      figures.findings.push({
        wrong,
        request: `${request.method} ${request.path}`.slice(0, 500),
        body: request.body?.toString().slice(0, 2_000),
        answer: answer && { ...answer, text: answer.text.slice(0, 2_000) },
      })
    try {
      let answer = await exchange(request)
      // a busy machine stalls every process at times: a real hang happens again
      for (let tries = 1; answer.took > patience && tries < MAX_TRIES; tries++)
        answer = await exchange(request)
      figures.statuses[answer.status] = (figures.statuses[answer.status] ?? 0) + 1
      figures.slowestMs = Math.max(figures.slowestMs, Math.round(answer.took))
      const wrong = complaint(request, answer)
      if (wrong) finding(wrong, answer)
    } catch (error) {
      finding(`no answer: ${error}`)
    }
  }
}

const MAX_PER_ROUND = 4_000

/** All ids of a merchant: they are as secret as the names. */
const idsOf = ({ known }: MerchantData): string[] =>
  Object.values(known).filter((id): id is string => typeof id === 'string' && id.length >= 36)

/** The generator for an operation, with the ids that most of its requests name. */
function valuesOf(document: ApiDocument, own: MerchantData, named: MerchantData) {
  const plain: Record<string, unknown> = {
    ...named.known,
    merchant_account_id: named.merchant.account,
    payment_service_definition_id: 'mock-card',
    payment_method: card,
    currency: 'USD',
    country: 'US',
    flow: 'card-transaction',
    source: 'authorization',
    url: 'https://shop.example/hook',
  }
  const { ['buyer_id']: _, ...withoutBuyer } = plain
  // gift cards of a payment would need a balance, and its buyer would have to exist
  const of = valueFor(document, withoutBuyer)
  const ofThings = valueFor(document, plain)
  const ofGiftCards = valueFor(document, {
    ...plain,
    ...newGiftCard(),
    gift_card_service_definition_id: 'mock-gift-card',
  })
  // a DELETE names an unknown id, so that other requests find theirs
  const ofNobody = valueFor(document, { merchant_account_id: own.merchant.account, flow: 'card-transaction' })
  return ({ method, path, id }: Operation) => {
    if (method === 'DELETE') return ofNobody
    if (path.startsWith('/gift-card')) return ofGiftCards
    return id === 'create_transaction' ? of : ofThings
  }
}
