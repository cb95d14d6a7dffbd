import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readSigner, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { roleBySlug } from '../../src/accounts/roles/role.ts'
import { type Books, readBooks } from '../crash/books.ts'
import { type Chance, seeded } from '../crash/chance.ts'
import { type Answer, type Client, createClient, type Sent } from '../crash/client.ts'
import { freePort, freshToken } from '../crash/crashes.ts'
import { setFaults } from '../crash/faults.ts'
import { launchRailyard, launchSimulator, type Running, runVerify, underLoad } from '../crash/process.ts'
import { mockCardService, ownDatabase } from '../support/railyard.ts'
import type { LimitsProof } from './limits-proof.ts'
import { type Approver, createApprover } from './people.ts'
import { sendSomeTwice } from './send-twice.ts'

export interface ProposalsFigures {
  findings: string[]
  kills: number
  /** Refunds without approval, by their answers. */
  refunds: Record<string, number>
  /** Proposals, by what became of them. */
  proposals: Record<string, number>
  /** What took effect at the payment service. */
  effects: Record<'unapproved' | 'approved', { amount: number; count: number }>
  limit: number
  seconds: number
}

const WORKERS = 48
const CURRENCY = 'USD'
const DAY_MS = 86_400_000
const DECIDED_WITHIN_MS = 240_000
const HOUR = 'PT61M'
/** Longer than the lease of a proposal that a killed process was executing. */
const LEASE = 'PT5M'

/** Each request has an amount of its own, by which the books tell whose effect an entry is. */
const FIRST_AMOUNT = 1_000_001
/** Some three refunds of a payment need no approval. */
const THRESHOLD = 3_500_000
const PAID = 90_000_000
const REQUESTS_OF_PAYMENT = 12
/** What the key pair may refund in a day without approval: less than the thresholds allow together. */
const limitFor = (operations: number) => operations * 200_000

/** What is to become of a proposal. The order of what happens at once is left to chance. */
type Fate = 'approved' | 'approved or rejected' | 'approved or withdrawn' | 'approved by one' | 'undecided'

interface Refund {
  paymentId: string
  amount: number
  sent: Sent
}

interface Proposed extends Refund {
  fate: Fate
  /** People who have sent an approval, whether it was answered or not. */
  approvers: Set<string>
  /** The answer that ended it, by the person or the requester that ended it. */
  ended: 'rejected' | 'withdrawn' | undefined
  /** How many people must approve it: one within the threshold, two beyond. */
  required: number
}

interface Load {
  refunds: Refund[]
  proposals: Proposed[]
  /** Answers that nobody expects. */
  unexpected: string[]
}

interface Payment {
  id: string
  paymentId: string
}

/**
 * A key pair refunds around the threshold of a policy and its own spending limit, and proposes refunds that two
 * people approve, one rejects, the key pair withdraws, or nobody decides on before they expire, all at once, while
 * processes are killed and the payment service loses answers. The payment service's books tell what took effect.
 */
export async function runProposalsProof({
  operations,
  kills,
  seed,
  database: kind,
  progress = () => undefined,
}: LimitsProof): Promise<ProposalsFigures> {
  const began = Date.now()
  const folder = await mkdtemp(join(tmpdir(), 'railyard-proposals-'))
  const database = kind === 'postgres' ? await ownDatabase() : undefined
  const booksFile = join(folder, 'books.jsonl')
  const simulator = launchSimulator(booksFile, 1_500)
  const [merchant, agent] = [createClient(), createClient()]
  let running: Running | undefined
  try {
    const { url: sandboxUrl } = await simulator.ready
    const port = String(await freePort())
    // passkeys belong to a name, not to an address
    const publicUrl = `http://localhost:${port}`
    const env = {
      RAILYARD_ENV: 'sandbox',
      DATA_DIR: join(folder, 'data'),
      PORT: port,
      PUBLIC_URL: publicUrl,
      SANDBOX_URL: sandboxUrl,
      ...underLoad,
      ...(database && { DATABASE_URL: database.url }),
    }
    const chance = seeded(seed)
    running = launchRailyard(env)
    const { url } = await running.ready
    merchant.reach(url, await freshToken(env))
    const payments = await makePayments(merchant, Math.ceil(operations / REQUESTS_OF_PAYMENT))
    const limit = limitFor(operations)
    agent.reach(url, await makeAgent(merchant, limit))
    const people = await makePeople(merchant, publicUrl)
    await created(merchant, '/approval-policies', {
      display_name: 'Large refunds',
      operations: ['refund'],
      thresholds: [{ currency: CURRENCY, amount: THRESHOLD }],
      required_approvals: 2,
      open_for_hours: 1,
    })
    const firstDay = await accountDay(merchant)
    progress(`${payments.length} payments made`)
    await setFaults(sandboxUrl, chance, true)

    const load: Load = { refunds: [], proposals: [], unexpected: [] }
    let begun = 0
    const awaited: { count: number; resolve: () => void }[] = []
    const reaches = (count: number) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      awaited.push({ count, resolve })
      if (begun >= count) resolve()
      return promise
    }
    const work = async (worker: number) => {
      const draws = seeded(seed, worker + 1)
      while (begun < operations) {
        const index = begun++
        for (const { count, resolve } of awaited) if (begun >= count) resolve()
        const payment = draws.pick(near(payments, index, operations))
        const amount = FIRST_AMOUNT + index
        if (draws.odds(0.4)) await refund(agent, load, payment, amount, draws)
        else await propose(agent, people, load, payment, amount, draws)
      }
    }
    const done = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)))
    let killed = 0
    for (let kill = 1; kill <= kills; kill++) {
      await reaches(Math.round((operations * kill) / (kills + 1)))
      // some proposals expire while people decide on them
      await untilAnswered(() => merchant.post('/sandbox/clock/advance', { by: HOUR }))
      running.kill()
      killed += 1
      await running.ended
      await setFaults(sandboxUrl, chance, true)
      running = launchRailyard(env)
      const { ms } = await running.ready
      progress(`kill ${kill}: ready after ${ms} ms, ${load.proposals.length} proposals made`)
    }
    await reaches(operations)
    await setFaults(sandboxUrl, chance, false)
    await done
    progress('all requests are answered')

    const days = 1 + (await accountDay(merchant)) - firstDay
    for (const by of [HOUR, LEASE]) await created(merchant, '/sandbox/clock/advance', { by })
    await withdrawOpen(agent, load)
    const ended = await untilEnded(merchant)
    const refunded = await refundsOf(merchant, payments)
    const books = await readBooks(sandboxUrl, booksFile)
    const findings = [
      ...load.unexpected,
      ...withinBounds(books, load, limit * days),
      ...asDecided(books, load, ended, refunded),
      ...oncePerState(load, books, ended),
    ]
    await running.stop()
    const verified = await runVerify(env)
    if (verified.code !== 0) findings.push(`railyard verify: ${verified.output.trim()}`)
    return {
      findings,
      kills: killed,
      refunds: countBy(load.refunds, ({ sent: { answer } }) =>
        `${answer?.status} ${answer?.body?.code ?? answer?.body?.status ?? ''}`.trim(),
      ),
      proposals: countBy([...ended.values()], ({ status }) => status),
      effects: {
        unapproved: sumOf(effectsOf(books, load.refunds)),
        approved: sumOf(effectsOf(books, load.proposals)),
      },
      limit,
      seconds: Math.round((Date.now() - began) / 1_000),
    }
  } finally {
    running?.kill()
    await running?.ended
    await Promise.all([merchant.close(), agent.close()])
    await simulator.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function created(client: Client, path: string, body: object) {
  const answer = await client.post(path, body)
  if (answer.status > 201) throw new Error(`${path} was answered ${answer.text}`)
  return answer.body
}

/** The payments that requests are about at this time: few, so that they meet. */
const near = (payments: readonly Payment[], index: number, operations: number) => {
  const first = Math.floor((index / operations) * payments.length)
  return payments.slice(Math.min(first, payments.length - 1), first + 16)
}

async function makePayments(merchant: Client, count: number): Promise<Payment[]> {
  const service = mockCardService({ display_name: 'Proposals', accepted_currencies: [CURRENCY] })
  const { id: payment_service_id } = await created(merchant, '/payment-services', service)
  const payment_method = {
    method: 'card',
    number: '4111111111111111',
    expiration_date: '12/35',
    security_code: '123',
  }
  const payments: Payment[] = []
  const pay = async () => {
    const { id, payment_service_transaction_id: paymentId } = await created(merchant, '/transactions', {
      amount: PAID,
      currency: CURRENCY,
      country: 'US',
      intent: 'capture',
      payment_method,
      payment_service_id,
    })
    payments.push({ id, paymentId })
  }
  while (payments.length < count)
    await Promise.all(Array.from({ length: Math.min(16, count - payments.length) }, pay))
  return payments
}

/** A key pair that may refund, with a limit. */
async function makeAgent(merchant: Client, per_day: number): Promise<string> {
  const pair = await created(merchant, '/api-key-pairs', {
    display_name: 'Agent',
    role_ids: [roleBySlug('processing')?.id],
  })
  await created(merchant, '/spending-limits', {
    subject: { type: 'api-key-pair', id: pair.id },
    operation: 'refund',
    currency: CURRENCY,
    per_day,
  })
  const signer = await readSigner(pair.private_key)
  const scopes = ['*.read', '*.write']
  return signToken(signer, { scopes, expiresIn: 3_600 }, Date.now())
}

async function makePeople(merchant: Client, url: string): Promise<readonly [Approver, Approver, Approver]> {
  const invite = (user: object) => created(merchant, '/users', user)
  return [
    await createApprover(url, invite, 'ada'),
    await createApprover(url, invite, 'grace'),
    await createApprover(url, invite, 'joan'),
  ]
}

/** The day of the account's clock, since 1970. */
async function accountDay(merchant: Client): Promise<number> {
  const { body } = await merchant.get('/sandbox/clock')
  return Math.floor(Date.parse(body.now) / DAY_MS)
}

/** Sends until there is an answer: processes are killed meanwhile, and restarted. */
async function untilAnswered<T extends { status: number }>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await send().catch(() => undefined)
    if (answer && answer.status !== 503 && answer.status !== 425 && answer.status < 500) return answer
    await wait(150)
  }
}

const request = (action: Sent['action'], path: string, body: Record<string, unknown>): Sent => ({
  action,
  path,
  body,
  key: randomUUID(),
  mark: '',
  transactionId: undefined,
  tries: 0,
  answer: undefined,
})

async function sendUntilAnswered(client: Client, sent: Sent, chance: Chance): Promise<Answer> {
  await sendSomeTwice(client, sent, chance)
  while (!sent.answer || sent.answer.status >= 500)
    if (!(await client.send(sent))) await wait(chance.between(50, 250))
  return sent.answer
}

async function refund(
  agent: Client,
  { refunds, unexpected }: Load,
  { id, paymentId }: Payment,
  amount: number,
  chance: Chance,
): Promise<void> {
  const sent = request('refund', `/transactions/${id}/refunds`, { amount })
  refunds.push({ paymentId, amount, sent })
  const { status, body, text } = await sendUntilAnswered(agent, sent, chance)
  const isExpected =
    status === 201 ||
    status === 425 ||
    (status === 403 && ['approval_required', 'spending_limit_exceeded'].includes(body.code))
  if (!isExpected) unexpected.push(`a refund was answered ${status} ${text}`)
}

const fates: readonly [Fate, number][] = [
  ['approved', 55],
  ['approved or rejected', 15],
  ['approved or withdrawn', 12],
  ['approved by one', 9],
  ['undecided', 9],
]

function drawFate(chance: Chance): Fate {
  let left = chance.between(1, 100)
  for (const [fate, share] of fates) {
    left -= share
    if (left <= 0) return fate
  }
  return 'undecided'
}

async function propose(
  agent: Client,
  people: readonly [Approver, Approver, Approver],
  load: Load,
  { id, paymentId }: Payment,
  amount: number,
  chance: Chance,
): Promise<void> {
  const body = { method: 'POST', path: `/transactions/${id}/refunds`, body: { amount }, reason: 'Returned' }
  const sent = request('refund', '/proposals', body)
  const entry: Proposed = {
    paymentId,
    amount,
    sent,
    fate: drawFate(chance),
    approvers: new Set(),
    ended: undefined,
    required: 0,
  }
  load.proposals.push(entry)
  const answer = await sendUntilAnswered(agent, sent, chance)
  if (answer.status !== 201) {
    load.unexpected.push(`a proposal was answered ${answer.status} ${answer.text}`)
    return
  }
  const proposal: { id: string; hash: string } = answer.body
  entry.required = Math.max(
    ...answer.body.requirements.map((each: { required_approvals: number }) => each.required_approvals),
  )
  const pause = () => wait(chance.between(0, 60))
  const approve = async (person: Approver) => {
    entry.approvers.add(person.id)
    await pause()
    await settled(load, () => person.decide(proposal, 'approve'))
  }
  const reject = async (person: Approver) => {
    await pause()
    const { status, body } = await settled(load, () => person.decide(proposal, 'reject'))
    if (status === 200 && body.status === 'rejected') entry.ended = 'rejected'
  }
  const withdraw = async () => {
    await pause()
    const { status, body } = await settled(load, () => agent.post(`/proposals/${proposal.id}/withdraw`))
    if (status === 200 && body.status === 'withdrawn') entry.ended = 'withdrawn'
  }
  const [ada, grace, joan] = people
  switch (entry.fate) {
    case 'approved':
      await Promise.all([approve(ada), approve(grace), ...(chance.odds(0.3) ? [approve(joan)] : [])])
      break
    case 'approved or rejected':
      await Promise.all([approve(ada), approve(grace), reject(joan)])
      break
    case 'approved or withdrawn':
      await Promise.all([approve(grace), approve(joan), withdraw()])
      break
    case 'approved by one':
      await Promise.all([approve(joan), approve(joan), approve(joan)])
      break
    case 'undecided':
  }
}

/** A decision that is answered: it counts, or comes too late, or was made before and its answer was lost. */
async function settled<T extends { status: number; body: { details?: { pointer: string }[] } | undefined }>(
  { unexpected }: Load,
  send: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const answer = await untilAnswered(send)
    const { status, body } = answer
    // the clock was advanced between the challenge and its answer
    if (status === 400 && body?.details?.[0]?.pointer === '/credential') continue
    if (![200, 403, 409].includes(status))
      unexpected.push(`a decision was answered ${status} ${JSON.stringify(body)}`)
    return answer
  }
}

/** A proposal at the end, as the list has it. */
interface Ended {
  status: string
  preconditions?: { refunded_amount: number }
}

/** No policy asks for the approval of proposals within the threshold, and those stay open for three days. */
async function withdrawOpen(agent: Client, { proposals }: Load): Promise<void> {
  for (const each of proposals.filter(({ required }) => required === 1)) {
    const { status } = await agent.post(`/proposals/${each.sent.answer?.body.id}/withdraw`)
    if (status === 200) each.ended = 'withdrawn'
  }
}

/** Every proposal by its id, once each has ended. */
async function untilEnded(merchant: Client): Promise<Map<string, Ended>> {
  for (const deadline = Date.now() + DECIDED_WITHIN_MS; ; await wait(500)) {
    const open = await merchant.get('/proposals?status=pending&status=approved&status=executing&limit=1')
    if (open.body.items.length === 0 || Date.now() > deadline) break
    await merchant.post('/sandbox/clock/advance', { by: LEASE })
  }
  const ended = new Map<string, Ended>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await merchant.get(`/proposals?limit=100${cursor && `&cursor=${cursor}`}`)
    for (const item of body.items) ended.set(item.id, { status: item.status })
    cursor = body.next_cursor
  }
  return ended
}

/** The refunds in the books that these requests have made. */
function effectsOf({ operations }: Books, requests: readonly Refund[]): EffectOf[] {
  const amounts = new Map(requests.map((each) => [each.amount, each]))
  return [...operations.values()].flatMap((each) => {
    const made = amounts.get(each.amount)
    return each.kind === 'refund' && each.status === 'approved' && made
      ? [{ amount: each.amount, payment: each.payment_id, made }]
      : []
  })
}

interface EffectOf {
  amount: number
  payment: string
  made: Refund
}

const sumOf = (list: readonly { amount: number }[]) => ({
  amount: list.reduce((total, { amount }) => total + amount, 0),
  count: list.length,
})

/** The status of each refund, by its amount, once recovery has decided each. */
async function refundsOf(merchant: Client, payments: readonly Payment[]): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  const deadline = Date.now() + DECIDED_WITHIN_MS
  for (const { id } of payments) {
    let items: { amount: number; status: string }[]
    do {
      items = (await merchant.get(`/transactions/${id}/refunds`)).body.items
      if (items.every(({ status }) => status !== 'processing')) break
      await wait(500)
    } while (Date.now() < deadline)
    for (const { amount, status } of items) found.set(amount, [...(found.get(amount) ?? []), status])
  }
  return found
}

function withinBounds(books: Books, { refunds }: Load, limit: number): string[] {
  const unapproved = effectsOf(books, refunds)
  const { amount } = sumOf(unapproved)
  const byPayment = Map.groupBy(unapproved, ({ payment }) => payment)
  return [
    ...(amount > limit ? [`${amount} were refunded without approval, the limit is ${limit}`] : []),
    ...Array.from(byPayment, ([payment, list]) => ({ payment, sum: sumOf(list).amount }))
      .filter(({ sum }) => sum > THRESHOLD)
      .map(
        ({ payment, sum }) =>
          `of ${payment} ${sum} were refunded without approval, the threshold is ${THRESHOLD}`,
      ),
  ]
}

/** Where what took effect is not what was answered and decided. */
function asDecided(
  books: Books,
  { refunds, proposals }: Load,
  ended: ReadonlyMap<string, Ended>,
  refunded: ReadonlyMap<number, string[]>,
): string[] {
  const counts = countBy(effectsOf(books, [...refunds, ...proposals]), ({ amount }) => String(amount))
  const check = (name: string, { amount }: Refund, mayHappen: boolean): string[] => {
    const effects = counts[amount] ?? 0
    const statuses = refunded.get(amount) ?? []
    const succeeded = statuses.filter((status) => status === 'succeeded').length
    return [
      ...(effects > 1 ? [`${name} took effect ${effects} times`] : []),
      ...(statuses.length > 1 ? [`${name} has ${statuses.length} refunds`] : []),
      ...(effects !== succeeded
        ? [`${name} took effect ${effects} times, and its refund is ${statuses}`]
        : []),
      ...(statuses.length > 0 && !mayHappen
        ? [`${name} was refused, and has a refund that is ${statuses}`]
        : []),
    ]
  }
  return [
    ...refunds.flatMap((each) =>
      check(`the refund of ${each.amount}`, each, each.sent.answer?.status === 201),
    ),
    ...proposals.flatMap((each) => {
      const status = ended.get(each.sent.answer?.body?.id)?.status ?? 'missing'
      const name = `the proposal of ${each.amount} (${each.fate}, ${status})`
      return [
        ...check(name, each, status === 'executed'),
        ...(status === 'executed' && !refunded.has(each.amount) ? [`${name} has no refund`] : []),
        ...(status === 'executed' && each.approvers.size < each.required
          ? [`${name} had ${each.approvers.size} approvers`]
          : []),
        ...(each.ended && each.ended !== status ? [`${name} was answered ${each.ended}`] : []),
        ...(['pending', 'approved', 'executing', 'missing', 'failed'].includes(status)
          ? [`${name} is ${status}`]
          : []),
      ]
    }),
  ]
}

/** Where two proposals took effect that were made for the same state of a payment: the second is stale. */
function oncePerState({ proposals }: Load, books: Books, ended: ReadonlyMap<string, Ended>): string[] {
  const executed = proposals.filter(({ sent }) => ended.get(sent.answer?.body?.id)?.status === 'executed')
  const effects = effectsOf(books, executed)
  const stateOf = ({ made }: EffectOf) =>
    `${made.paymentId} with ${(made as Proposed).sent.answer?.body?.preconditions.refunded_amount} refunded`
  return Array.from(Map.groupBy(effects, stateOf))
    .filter(([, list]) => list.length > 1)
    .map(([state, list]) => `${list.length} proposals took effect that were made for ${state}`)
}

function countBy<T>(list: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const groups = Map.groupBy(list, keyOf)
  return Object.fromEntries(Array.from(groups, ([key, items]) => [key, items.length]))
}
