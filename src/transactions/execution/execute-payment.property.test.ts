import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CheckFindings } from '../../operations/calls/call-result.ts'
import { isOpen, type OperationOutcome, type OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { newOperationOn } from '../new-operation.ts'
import { project, withoutChange } from '../projection.ts'
import { reviewStepOf } from '../review/review.ts'
import { operationOf, paymentOf } from '../split-tender/gift-card-rows.fixture.ts'
import { transitions } from '../status.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { TransactionStatus } from '../transaction.schema.ts'
import { applyFindings } from './look-up-facts.ts'
import { moneyStepKind } from './money-step.ts'
import { nextOperation } from './next-operation.fixture.ts'

/**
 * A payment as the database holds it, with its journal: what the statements of `record-outcome.sql.ts` and
 * `review.sql.ts` do, said again in a few lines.
 */
interface Ledger {
  row: TransactionRow
  operations: OperationRow[]
  plan: Plan
  world: World
}

interface Plan {
  intent: TransactionRow['intent']
  screens: boolean
  authenticates: boolean
  later: boolean
  /** Whether the payment services can capture later than they authorize. */
  canWait: boolean
  /** How many payment services may be asked. */
  services: number
}

const AMOUNT = 1000

function worldOfOurOwn(canWait: boolean): World {
  let count = 100
  const world = {
    clock: { now: () => 0 },
    ids: { next: () => String(++count) },
    settings: { providerTimeout: 1_000 },
    connectors: { get: () => ({ definition: { features: { delayed_capture: canWait } } }) },
  }
  return world as unknown as World
}

function open(plan: Plan): Ledger {
  const world = worldOfOurOwn(plan.canWait)
  const row = paymentOf({
    intent: plan.intent,
    payment_service: { payment_service_definition_id: 'd', method: 'card', display_name: 'Cards' },
    anti_fraud: null,
    three_d_secure: null,
    details: plan.later ? { async_capture: true } : {},
  })
  const ledger: Ledger = { row, operations: [], plan, world }
  intend(
    ledger,
    plan.screens ? 'screening' : plan.authenticates ? 'authentication' : moneyStepKind(world, row),
  )
  return ledger
}

function intend({ row, operations, world }: Ledger, kind: OperationRow['kind'], amount = AMOUNT): void {
  const operation = operationOf(kind, amount, {
    id: world.ids.next(),
    ...(kind === 'capture' && { input: { final: true } }),
  })
  operations.push(operation)
  row.active_operation_id = operation.id
  if (kind === 'capture') row.capture_reserved += amount
}

const isMoneyStep = ({ kind }: Pick<OperationRow, 'kind'>) => kind === 'authorize' || kind === 'sale'
const isRefused = ({ status }: { status: string }) => status === 'declined' || status === 'failed'

/** What comes after an outcome: another payment service, the card's issuer, or what the rows say. */
function nextOf(
  { row, operations, plan, world }: Ledger,
  operation: OperationRow,
  outcome: OperationOutcome,
  findings: CheckFindings | undefined,
) {
  const attempts = operations.filter(isMoneyStep).length
  const asked = operations.some(({ kind }) => kind === 'authentication')
  // only the request that brought the card tries again, and it has gone once an answer is not known
  const mayRetry =
    isMoneyStep(operation) &&
    operation.status === 'sent' &&
    outcome.status === 'declined' &&
    attempts < plan.services
  if (mayRetry)
    return { retries: true, next: { ...operation, id: world.ids.next(), status: 'sent' as const } }
  const after = applyFindings(row, findings)
  if (operation.kind === 'screening' && outcome.status === 'approved' && plan.authenticates && !asked)
    return {
      retries: false,
      next: newOperationOn(world, after, { kind: 'authentication', amount: operation.amount }, operation),
    }
  return { retries: false, next: nextOperation(world, after, operation, outcome)?.operation }
}

/**
 * Records an outcome and intends what follows, as one commit does; nothing where another operation is under
 * way that it would have to pass.
 */
function recordOutcome(
  ledger: Ledger,
  operation: OperationRow,
  outcome: OperationOutcome,
  findings?: CheckFindings,
): void {
  const { row, operations } = ledger
  const { next, retries } = nextOf(ledger, operation, outcome, findings)
  const isActive = (row.active_operation_id ?? operation.id) === operation.id
  if (next && !isActive) return
  const change = retries ? withoutChange(row) : project(row, operation, outcome)
  const allowed: readonly TransactionStatus[] = transitions[row.status]
  expect([row.status, ...allowed]).toContain(change.status)
  operation.status = outcome.status
  const wasHeld = row.pending_review
  row.pending_review =
    (findings?.screening?.decision === 'review' || wasHeld) && !/voided|failed/.test(change.status)
  const voidedWhileHeld = wasHeld && change.status === 'authorization_voided' ? 'failed' : null
  if (row.intent_outcome === 'pending')
    row.intent_outcome = change.intentOutcome ?? voidedWhileHeld ?? 'pending'
  row.status = change.status
  row.anti_fraud = findings?.screening ?? row.anti_fraud
  row.authorized_amount += change.authorized
  row.captured_amount += change.captured
  row.capture_reserved += change.captureReserved + (next?.kind === 'capture' ? next.amount : 0)
  row.capture_closed = change.captureClosed ?? row.capture_closed
  if (isActive && outcome.status !== 'unknown') row.active_operation_id = next?.id ?? null
  if (operation.kind === 'cancel' && outcome.status === 'approved')
    for (const other of operations) if (other.status === 'pending') other.status = 'failed'
  if (next) {
    // a payment continues only after checks that passed, and nothing captures it while its review is pending
    expect(
      operations.filter(
        (other) => isRefused(other) && (other.kind === 'screening' || other.kind === 'authentication'),
      ),
    ).toEqual([])
    if (ledger.plan.canWait && row.pending_review) expect(['sale', 'capture']).not.toContain(next.kind)
    operations.push(next)
  }
}

type Word =
  | 'approved'
  | 'pending'
  | 'declined'
  | 'failed'
  | 'unknown'
  | 'review'
  | 'accept'
  | 'reject'
  | 'cancel'
  | 'void'
  | 'capture'

const none = { facts: {}, references: {} }

/** What a party to this operation may say, given a word that need not be one of its own. */
function outcomeOf(ledger: Ledger, { kind, amount, status }: OperationRow, word: Word): OperationOutcome {
  const { row } = ledger
  const knows = {
    screening: ['declined'],
    authentication: ['pending', 'failed'],
    cancel: ['unknown', 'failed'],
  }
  const all = ['pending', 'declined', 'failed', 'unknown']
  const said = (knows[kind as keyof typeof knows] ?? all).includes(word) ? word : 'approved'
  // what is canceled has not been charged
  if (kind === 'cancel' && row.authorized_amount > 0 && said !== 'unknown')
    return { status: 'failed', code: 'service_error', ...none }
  const repeats = said === status || (said === 'unknown' && status === 'pending')
  if (repeats || said === 'approved') return { status: 'approved', amount, ...none }
  if (said === 'unknown') return { status: 'unknown', reason: 'lost' }
  if (said === 'pending') return { status: 'pending', ...none }
  if (said === 'failed') return { status: 'failed', code: 'failed_buyer_approval', ...none }
  return { status: 'declined', code: 'issuer_decline', ...none }
}

const reviewed = (decision: 'review' | 'accept' | 'reject'): CheckFindings => ({
  screening: { service: { id: 's', name: 'S', definition_id: 'd' }, decision, check_id: null },
  timeline: [],
})

/** What a word does to the payment as it stands; one that means nothing there does nothing. */
function hear(ledger: Ledger, word: Word): void {
  const { row, operations } = ledger
  const isIdle = row.active_operation_id === null
  const open = operations.filter(({ status }) => isOpen(status))
  if (word === 'accept' || word === 'reject') {
    // the first decision counts
    if (row.pending_review && row.anti_fraud?.decision === 'review')
      row.anti_fraud = { ...row.anti_fraud, decision: word }
  } else if (word === 'cancel') {
    if (isIdle && /^(processing|buyer_approval_pending)$/.test(row.status)) intend(ledger, 'cancel')
  } else if (word === 'void') {
    if (
      isIdle &&
      row.status === 'authorization_succeeded' &&
      row.captured_amount + row.capture_reserved === 0
    )
      intend(ledger, 'void', row.authorized_amount)
  } else if (word === 'capture') {
    const left = row.authorized_amount - row.captured_amount - row.capture_reserved
    const may =
      isIdle &&
      /^(authorization|capture)_succeeded$/.test(row.status) &&
      !row.capture_closed &&
      !row.pending_review &&
      left > 0
    if (may) intend(ledger, 'capture', left)
  } else {
    const operation = open[word === 'review' ? 0 : open.length - 1]
    if (operation)
      recordOutcome(
        ledger,
        operation,
        outcomeOf(ledger, operation, word),
        word === 'review' && operation.kind === 'screening' ? reviewed('review') : undefined,
      )
  }
  followReview(ledger)
}

/** What recovery and the request that brought the decision do, as soon as the payment stands still. */
function followReview(ledger: Ledger): void {
  const { row } = ledger
  const isBusy =
    row.active_operation_id !== null ||
    /^(processing|buyer_approval_pending|authorization_void_pending)$/.test(row.status)
  if (!row.pending_review || row.anti_fraud?.decision === 'review' || isBusy) return
  const step = reviewStepOf(row)
  if (step === 'void' && ledger.operations.some(({ kind }) => kind === 'void')) return
  if (step === 'undo') throw new Error('no gift card shares this payment')
  if (step !== 'void') row.pending_review = false
  if (step !== 'nothing') intend(ledger, step, row.authorized_amount)
}

const plan: fc.Arbitrary<Plan> = fc.record({
  intent: fc.constantFrom('authorize', 'capture'),
  screens: fc.boolean(),
  authenticates: fc.boolean(),
  later: fc.boolean(),
  canWait: fc.constantFrom(true, true, true, false),
  services: fc.integer({ min: 1, max: 3 }),
})
const outcomes = [
  'approved',
  'approved',
  'approved',
  'pending',
  'pending',
  'declined',
  'failed',
  'unknown',
] as const
const word = fc.constantFrom<Word>(
  ...outcomes,
  ...outcomes,
  'review',
  'review',
  'accept',
  'reject',
  'cancel',
  'void',
  'capture',
)
const lastWord = fc.constantFrom<Word>('approved', 'declined', 'failed')

const MAX_STEPS = 60

/** A payment after these words of its parties, and then last words until no operation is open. */
const life = fc
  .record({
    plan,
    words: fc.array(word, { maxLength: 40, size: 'max' }),
    last: lastWord,
    decision: fc.constantFrom<Word>('accept', 'reject'),
  })
  .map(({ plan: given, words, last, decision }) => {
    const ledger = open(given)
    for (const said of words) hear(ledger, said)
    for (let steps = 0; ; steps++) {
      const { row, operations } = ledger
      if (!operations.some(({ status }) => isOpen(status)) && row.anti_fraud?.decision !== 'review')
        return ledger
      expect(steps).toBeLessThan(MAX_STEPS)
      hear(
        ledger,
        operations.some(({ status }) => isOpen(status)) ? last : row.pending_review ? decision : 'void',
      )
      if (!row.pending_review && row.anti_fraud?.decision === 'review')
        row.anti_fraud = { ...row.anti_fraud, decision: 'accept' }
    }
  })

const runs = { numRuns: 3000 }

test('whatever is said by whomever in whatever order, the payment ends, charged at most once', () => {
  fc.assert(
    fc.property(life, ({ row, operations }) => {
      const charged = operations.filter(
        (operation) => isMoneyStep(operation) && operation.status === 'approved',
      )
      expect(charged.length).toBeLessThanOrEqual(1)
      expect([row.authorized_amount, row.active_operation_id, row.capture_reserved]).toEqual([
        charged.length * AMOUNT,
        null,
        0,
      ])
      expect(row.captured_amount).toBeLessThanOrEqual(row.authorized_amount)
      const ends =
        charged.length > 0
          ? ['authorization_succeeded', 'capture_succeeded', 'authorization_voided']
          : ['authorization_failed']
      expect(ends).toContain(row.status)
      expect(row.status === 'capture_succeeded').toBe(row.captured_amount > 0)
    }),
    runs,
  )
})

test('who is asked before the money step is asked once, and the money step is made only after they have agreed', () => {
  fc.assert(
    fc.property(life, ({ operations, plan: { screens, authenticates } }) => {
      const kinds = operations.map(({ kind }) => kind)
      const first = operations.findIndex(isMoneyStep)
      for (const kind of ['screening', 'authentication'] as const) {
        expect(kinds.filter((each) => each === kind).length).toBeLessThanOrEqual(1)
        const isWanted = kind === 'screening' ? screens : authenticates
        if (first >= 0 && isWanted)
          expect(operations.slice(0, first)).toContainEqual(
            expect.objectContaining({ kind, status: 'approved' }),
          )
      }
    }),
    runs,
  )
})

test('no payment service is asked before the one before it has refused', () => {
  fc.assert(
    fc.property(life, ({ operations }) => {
      const attempts = operations.filter(isMoneyStep)
      expect(attempts.slice(0, -1).every(isRefused)).toBe(true)
    }),
    runs,
  )
})

test('what a person rejects is not captured where that could wait, and what is left is voided', () => {
  fc.assert(
    fc.property(life, ({ row, operations, plan: { canWait } }) => {
      if (row.anti_fraud?.decision !== 'reject' || !canWait) return
      expect(row.captured_amount).toBe(0)
      const voidRefused = operations.some((operation) => operation.kind === 'void' && isRefused(operation))
      if (!voidRefused) expect(row.status).toMatch(/^authorization_(voided|failed)$/)
    }),
    runs,
  )
})
