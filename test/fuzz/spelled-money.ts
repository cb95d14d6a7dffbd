import fc from 'fast-check'
import { auditedOperations } from '../support/checks/audited-operations.ts'
import { accountHeadersMisspelt, headerSpellings, spellingsOf } from '../support/checks/spellings.ts'
import { booksOf } from '../support/provider.ts'
import type { Client, TestRailyard } from '../support/railyard.ts'
import { exchanger } from './exchange.ts'

/**
 * The operations with an idempotency key: src/api/server/path-spellings.test.ts compares this list with the
 * API document.
 */
export const keyedOperations = [
  'create_transaction',
  'capture_transaction',
  'void_transaction',
  'increment_transaction_authorization',
  'create_transaction_refund',
  'create_full_transaction_refund',
  'create_payout',
  'activate_gift_card',
  'issue_gift_card',
  'submit_dispute_evidence',
  'accept_dispute',
  'delegate_payment',
  'create_agentic_checkout',
  'update_agentic_checkout',
  'complete_agentic_checkout',
  'cancel_agentic_checkout',
  'add_payment_link',
  'create_proposal',
] as const

export interface SpelledFigures {
  rounds: number
  requests: number
  /** Rounds in which the payment service's books show an effect. */
  effective: number
  findings: { wrong: string; requests: string[] }[]
}

const REQUESTS_A_ROUND = 6

interface Spelled {
  path: string
  key: string
  account: string
}

const spelledRequests = (path: string): fc.Arbitrary<Spelled[]> =>
  fc.array(
    fc.record({
      path: fc.oneof({ weight: 3, arbitrary: spellingsOf(path) }, fc.constant(path)),
      key: headerSpellings('idempotency-key'),
      account: fc.oneof(
        { weight: 6, arbitrary: headerSpellings('x-svc-merchant-account-id') },
        accountHeadersMisspelt,
      ),
    }),
    { minLength: REQUESTS_A_ROUND, maxLength: REQUESTS_A_ROUND },
  )

/** The number of operations in the books of the merchant's payment services. */
async function effects(railyard: TestRailyard, services: ReadonlySet<string>): Promise<number> {
  const { operations, gift_cards: giftCards } = await booksOf(railyard)
  return [...operations, ...giftCards.operations].filter(({ payment_service_id: service }) =>
    services.has(service),
  ).length
}

/**
 * One idempotency key moves money at most once, however the path and headers of its requests are spelled, one
 * after the other or concurrently; a request whose account header is misspelt does nothing.
 */
export async function fuzzSpellings(
  railyard: TestRailyard,
  { rounds, seed }: { rounds: number; seed: number },
): Promise<SpelledFigures> {
  const shop: Client = await railyard.merchant()
  const operations = auditedOperations(railyard, shop)
  const { exchange, close } = exchanger(railyard.url, 2)
  const figures: SpelledFigures = { rounds: 0, requests: 0, effective: 0, findings: [] }
  // valid for every account, so that a request whose account header is not read would act on another account
  const { token } = railyard.admin
  for (let round = 0; round < rounds; round++) {
    const id = keyedOperations[round % keyedOperations.length] ?? 'create_transaction'
    const asked = await operations[id]?.request()
    if (!asked) throw new Error(`there is no request for ${id}`)
    const [path, body] = asked
    const { items: cards } = (await shop.get('/gift-card-services')).body
    const { items: services } = (await shop.get('/payment-services?limit=100')).body
    const mine = new Set<string>([...cards, ...services].map((each: { id: string }) => each.id))
    const before = await effects(railyard, mine)
    const key = crypto.randomUUID()
    const [requests = []] = fc.sample(spelledRequests(path), { numRuns: 1, seed: seed + round })
    const text = body === undefined ? undefined : JSON.stringify(body)
    const send = async (spelled: Spelled) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'api-version': '2026-04-17',
        ...(text !== undefined && { 'content-type': 'application/json' }),
        [spelled.key]: key,
        [spelled.account]: shop.account,
      }
      figures.requests += 1
      const { status } = await exchange({ method: 'POST', path: spelled.path, headers, body: text })
      if (status < 400 && spelled.account.toLowerCase() !== 'x-svc-merchant-account-id')
        wrong(`${status} though the account header is misspelt`)
      if (status >= 500) wrong(`a server error: ${status}`)
      return `${status} ${spelled.path} ${spelled.key} ${spelled.account}`
    }
    const sentRequests: string[] = []
    const wrong = (what: string) => figures.findings.push({ wrong: `${id}: ${what}`, requests: sentRequests })
    for (let index = 0; index < requests.length; index += 2)
      // every other round sends two at once
      if (round % 2 === 0)
        sentRequests.push(...(await Promise.all(requests.slice(index, index + 2).map(send))))
      else for (const request of requests.slice(index, index + 2)) sentRequests.push(await send(request))
    const took = (await effects(railyard, mine)) - before
    if (took > 1) wrong(`one key took effect ${took} times`)
    if (took > 0) figures.effective += 1
    figures.rounds += 1
  }
  close()
  return figures
}
