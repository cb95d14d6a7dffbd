import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { paymentFor } from '../../../test/support/domains/connector-call.ts'
import type { CardForCall } from '../../connectors/contract/call.ts'
import { errorCodes, isErrorCode } from '../../connectors/contract/error-codes.ts'
import type { OperationOutcome, OperationRow } from '../../operations/operation.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { NewerCard } from '../../vault/account-updater/card-replacement.ts'
import {
  approved,
  declined,
  operationOf,
  paymentOf,
  pending,
  unknown,
} from '../split-tender/gift-card-rows.fixture.ts'
import { decideNext, type MissingFact, type NextStepFacts, type Situation } from './decide-next.ts'
import { type AnotherService, isRetry, type NextStep } from './next-step.ts'
import type { RequestState } from './request-state.ts'

const card: CardForCall = {
  number: '4111111111111111',
  expirationDate: '12/35',
  securityCode: null,
  scheme: 'visa',
}
const payment = paymentFor({ instrument: { card } })
const expiresAt = '2030-01-01T00:00:00.000Z'
const authenticationOptions = {
  method: null,
  redirectUrl: 'https://shop.example/back',
  expiresAt,
  isSkipped: true,
  amount: null,
}
const route = { retriesOn: null } as NonNullable<RequestState['route']>
/** A request that brought a card, has another service to try, and can send its cardholder to the issuer. */
const whole: RequestState = {
  instrument: { card },
  route,
  authenticationOptions,
  renewable: { card, method: null, simulated: null },
}

const refused = (code: string, status: 'declined' | 'failed' = 'declined') =>
  ({ status, code, facts: {}, references: {} }) as OperationOutcome
const newerCard = { number: '4111111111111112', snapshot: {} } as NewerCard
const another: AnotherService = {
  service: { id: 'second' } as ConfiguredService,
  instrument: undefined,
  requestState: whole,
  needsAuthentication: false,
}

const situation = (
  operation: OperationRow,
  outcome: OperationOutcome,
  more: Partial<Situation> = {},
): Situation => ({
  transaction: paymentOf({ intent: 'capture' }),
  operation,
  outcome,
  payment,
  requestState: whole,
  moneyStep: 'sale',
  approvalMovesMoney: false,
  approvalToken: undefined,
  ...more,
})
const authorize = operationOf('authorize', 1000)

describe('a refusal', () => {
  test('of a card that the issuer has replaced is retried with the newer card, before another payment service is looked for', () => {
    const expired = situation(authorize, refused('expired_payment_method'))
    expect(decideNext(expired, {})).toEqual({ kind: 'look-up', fact: 'newerCard' })
    expect(decideNext(expired, { newerCard })).toMatchObject({
      kind: 'retry-with-newer-card',
      card: newerCard,
      operation: { kind: 'authorize', amount: 1000 },
    })
  })

  test.each([
    'canceled_payment_method',
    'expired_payment_method',
    'incorrect_expiry_date',
    'invalid_payment_method',
    'unknown_payment_method',
  ])('with %s asks for a newer card, of a request that can be renewed and sends a payment', (code) => {
    const replaced = situation(authorize, refused(code))
    expect(decideNext(replaced, {})).toEqual({ kind: 'look-up', fact: 'newerCard' })
    const { renewable: _, ...withoutRenewal } = whole
    for (const without of [{ requestState: withoutRenewal }, { payment: undefined }])
      expect(decideNext({ ...replaced, ...without }, { anotherService: 'none' })).toEqual({ kind: 'done' })
  })

  test('of a card for which there is none newer goes to another payment service', () => {
    const unusable = situation(authorize, refused('invalid_payment_method'))
    expect(decideNext(unusable, { newerCard: 'none', anotherService: another })).toMatchObject({
      kind: 'retry-at-another-service',
      because: 'invalid_payment_method',
    })
  })

  test('of another kind asks for no newer card', () => {
    expect(
      decideNext(situation(authorize, refused('insufficient_funds')), { anotherService: 'none' }),
    ).toEqual({
      kind: 'done',
    })
  })

  test('is retried by the same instruction', () => {
    const input = { final: true }
    const operation = operationOf('sale', 700, { input })
    expect(decideNext(situation(operation, refused('expired_payment_method')), { newerCard })).toEqual({
      kind: 'retry-with-newer-card',
      card: newerCard,
      operation: { kind: 'sale', amount: 700, input, paymentServiceId: 'p' },
    })
  })

  test('of what undoes a late approval is final', () => {
    const undoing = operationOf('void', 1000, { input: { undoes: 'o' } })
    expect(decideNext(situation(undoing, refused('service_error', 'failed')), {})).toEqual({ kind: 'done' })
  })

  test('without a route, and of an operation that sends no payment, is final', () => {
    const { route: _, ...withoutRoute } = whole
    const outage = situation(authorize, refused('service_error', 'failed'))
    for (const without of [{ requestState: withoutRoute }, { payment: undefined }])
      expect(decideNext({ ...outage, ...without }, { anotherService: another })).toEqual({ kind: 'done' })
  })

  test('that no other payment service could turn is final', () => {
    const stolen = situation(authorize, refused('stolen_card'))
    expect(decideNext(stolen, { newerCard: 'none', anotherService: another })).toEqual({ kind: 'done' })
  })

  test('is retried on the codes that a rule names', () => {
    const requestState = { ...whole, route: { ...route, retriesOn: ['service_error' as const] } }
    const outage = situation(authorize, refused('service_error', 'failed'), { requestState })
    expect(decideNext(outage, { anotherService: another })).toMatchObject({
      because: 'service_error',
      at: another,
    })
  })

  test('of a renewed card is not retried with a card that is newer still', () => {
    const renewed = situation(authorize, refused('expired_payment_method'), {
      payment: { ...payment, isRenewedCard: true },
    })
    expect(decideNext(renewed, { newerCard, anotherService: 'none' })).toEqual({ kind: 'done' })
  })

  test('that demands authentication asks the issuer, at the same payment service, and only where the cardholder can come back', () => {
    const soft = situation(authorize, refused('requires_buyer_authentication'))
    expect(decideNext(soft, {})).toEqual({ kind: 'look-up', fact: 'authentication' })
    expect(decideNext(soft, { authentication: 'possible' })).toMatchObject({
      kind: 'retry-authenticated',
      operation: { kind: 'authentication', paymentServiceId: authorize.payment_service_id },
    })
    const withoutPage = {
      ...soft,
      requestState: { ...whole, authenticationOptions: { ...authenticationOptions, redirectUrl: null } },
    }
    expect(decideNext(withoutPage, { anotherService: 'none' })).toEqual({ kind: 'done' })
  })

  test('that demands authentication is final where the issuer cannot be asked, and in recovery', () => {
    const soft = situation(authorize, refused('requires_buyer_authentication'))
    const facts = { authentication: 'impossible', anotherService: 'none' } as const
    expect(decideNext(soft, facts)).toEqual({ kind: 'done' })
    expect(decideNext({ ...soft, requestState: {}, payment: undefined }, {})).toEqual({ kind: 'done' })
  })

  test('that another payment service may not share goes to that one, with the issuer asked first where that one wants it', () => {
    const outage = situation(authorize, refused('service_error', 'failed'))
    expect(decideNext(outage, {})).toEqual({ kind: 'look-up', fact: 'anotherService' })
    expect(decideNext(outage, { anotherService: another })).toMatchObject({
      kind: 'retry-at-another-service',
      because: 'service_error',
      operation: { kind: 'authorize', paymentServiceId: 'second' },
    })
    expect(decideNext(outage, { anotherService: { ...another, needsAuthentication: true } })).toMatchObject({
      kind: 'retry-at-another-service',
      operation: { kind: 'authentication', paymentServiceId: 'second' },
    })
    expect(decideNext(outage, { anotherService: 'none' })).toEqual({ kind: 'done' })
  })

  test.each(['03', '21'])(
    'with the scheme’s advice %s never to try the card again is not retried at another payment service',
    (advice) => {
      const stopped = { ...refused('issuer_decline'), facts: { merchant_advice_code: advice } }
      expect(decideNext(situation(authorize, stopped), { anotherService: another })).toEqual({ kind: 'done' })
    },
  )

  test.each(['declined', 'failed'] as const)(
    'that is %s and a hard decline is not retried at another payment service',
    (status) => {
      const code = status === 'declined' ? 'issuer_decline' : 'invalid_payment_method'
      const hard = { ...refused(code, status), isHardDecline: true } as OperationOutcome
      expect(decideNext(situation(authorize, hard), { anotherService: another, newerCard: 'none' })).toEqual({
        kind: 'done',
      })
    },
  )

  test('with the scheme’s advice to try again later is retried at another payment service', () => {
    const later = { ...refused('issuer_decline'), facts: { merchant_advice_code: '02' } }
    expect(decideNext(situation(authorize, later), { anotherService: another })).toMatchObject({
      kind: 'retry-at-another-service',
    })
  })

  test('is final where a rule retries on other codes, or the request skips retries', () => {
    const onlyOn = { ...route, retriesOn: ['issuer_decline'] }
    expect(
      decideNext(
        situation(authorize, refused('service_error', 'failed'), {
          requestState: { ...whole, route: onlyOn },
        }),
        {},
      ),
    ).toEqual({
      kind: 'done',
    })
    const skips = { ...payment, options: { skip_retry: true } }
    expect(
      decideNext(situation(authorize, refused('service_error', 'failed'), { payment: skips }), {}),
    ).toEqual({ kind: 'done' })
  })
})

describe('an outcome that is no refusal', () => {
  test('a screening that lets the payment pass leads to the issuer where it is to be asked, else to the money step', () => {
    const passed = situation(operationOf('screening', 1000), approved(1000), { payment: undefined })
    expect(decideNext(passed, {})).toEqual({ kind: 'look-up', fact: 'authentication' })
    expect(decideNext(passed, { authentication: 'possible' })).toMatchObject({
      kind: 'authenticate',
      operation: { kind: 'authentication' },
    })
    expect(decideNext(passed, { authentication: 'impossible' })).toMatchObject({
      kind: 'continue',
      operation: { kind: 'sale', amount: 1000 },
    })
  })

  test('a challenge sends the cardholder to the issuer, once the request has a card to seal', () => {
    const asked = situation(operationOf('authentication', 1000), pending, { payment: undefined })
    expect(decideNext(asked, {})).toEqual({
      kind: 'challenge',
      expiresAt,
      redirectUrl: authenticationOptions.redirectUrl,
    })
    expect(decideNext({ ...asked, requestState: {} }, {})).toEqual({ kind: 'done' })
  })

  test('nothing is a challenge but a pending authentication whose cardholder can come back', () => {
    const asked = situation(operationOf('authentication', 1000), pending, { payment: undefined })
    const withoutPage = { ...whole, authenticationOptions: { ...authenticationOptions, redirectUrl: null } }
    const { instrument: _, ...withoutCard } = whole
    for (const requestState of [withoutPage, withoutCard])
      expect(decideNext({ ...asked, requestState }, {})).toEqual({ kind: 'done' })
    expect(decideNext({ ...asked, operation: operationOf('approval', 1000) }, {})).toEqual({ kind: 'done' })
    expect(decideNext({ ...asked, outcome: approved(900) }, {})).toMatchObject({
      kind: 'continue',
      operation: { kind: 'sale', amount: 900 },
    })
  })

  test('an approval leads to the money step at its payment service, with what the buyer’s approval gave', () => {
    const asked = situation(operationOf('approval', 1000), approved(800), {
      payment: undefined,
      approvalToken: 'token',
    })
    expect(decideNext(asked, {})).toEqual({
      kind: 'continue',
      operation: { kind: 'sale', amount: 800, paymentServiceId: 'p', approvalToken: 'token' },
    })
    expect(decideNext({ ...asked, outcome: declined }, {})).toEqual({ kind: 'done' })
  })

  test('a screening leads to the buyer where the method has an approval that is not given and moves no money', () => {
    const transaction = paymentOf({ approval: {} as never })
    const passed = situation(operationOf('screening', 1000), approved(1000), {
      transaction,
      payment: undefined,
      requestState: {},
    })
    const stepOf = (more: Partial<Situation>) => decideNext({ ...passed, ...more }, {})
    expect(stepOf({})).toMatchObject({ operation: { kind: 'approval' } })
    expect(stepOf({ approvalToken: 'given' })).toMatchObject({ operation: { kind: 'sale' } })
    expect(stepOf({ approvalMovesMoney: true })).toMatchObject({ operation: { kind: 'sale' } })
    expect(stepOf({ transaction: paymentOf() })).toMatchObject({ operation: { kind: 'sale' } })
    expect(stepOf({ operation: operationOf('approval', 1000) })).toMatchObject({
      operation: { kind: 'sale' },
    })
  })

  test('no capture follows what is not captured, is captured already, holds nothing, or is no approval', () => {
    for (const transaction of [
      paymentOf({ intent: 'authorize' }),
      paymentOf({ intent: 'capture', captured_amount: 1 }),
    ])
      expect(decideNext(situation(authorize, approved(1000), { transaction }), {})).toEqual({ kind: 'done' })
    expect(decideNext(situation(authorize, approved(0)), {})).toEqual({ kind: 'done' })
    const held = paymentOf({ intent: 'capture', authorized_amount: 1000 })
    for (const [operation, outcome] of [
      [authorize, pending],
      [operationOf('increment', 100), approved(100)],
    ] as const)
      expect(
        decideNext(situation(operation, outcome, { transaction: held, payment: undefined }), {}),
      ).toEqual({
        kind: 'done',
      })
  })

  test('the capture is the one that was asked for, and never more than is authorized', () => {
    const wanted = (amount: number) =>
      operationOf('authorize', 1000, {
        input: { then_capture: { amount, input: { final: false } } } as never,
      })
    expect(decideNext(situation(wanted(600), approved(1000)), {})).toMatchObject({
      operation: { kind: 'capture', amount: 600, input: { final: false } },
    })
    expect(decideNext(situation(wanted(600), approved(500)), {})).toMatchObject({
      operation: { amount: 500 },
    })
  })

  test('an authorization of a payment that is to be captured leads to the capture, which is queued where the request asked for that', () => {
    const capture = { kind: 'capture', amount: 1000, input: { final: true } }
    expect(decideNext(situation(authorize, approved(1000)), {})).toMatchObject({
      kind: 'continue',
      operation: { ...capture, isQueued: false },
    })
    const later = paymentOf({ intent: 'capture', details: { async_capture: true } })
    expect(decideNext(situation(authorize, approved(1000), { transaction: later }), {})).toMatchObject({
      operation: { ...capture, isQueued: true },
    })
    const reviewed = paymentOf({ intent: 'capture', pending_review: true })
    expect(decideNext(situation(authorize, approved(1000), { transaction: reviewed }), {})).toEqual({
      kind: 'done',
    })
  })

  test('a capture of an expired authorization renews it where the merchant allowed that', () => {
    const expired = refused('expired_authorization')
    const capture = operationOf('capture', 1000)
    expect(decideNext(situation(capture, expired, { payment: undefined }), {})).toEqual({ kind: 'done' })
    const renewing = { ...capture, input: { reauthorize: true } }
    expect(decideNext(situation(renewing, expired, { payment: undefined }), {})).toEqual({
      kind: 'renew-authorization',
    })
    const refund = operationOf('refund', 1000, { input: { reauthorize: true } })
    expect(decideNext(situation(refund, expired, { payment: undefined }), {})).toEqual({ kind: 'done' })
    expect(decideNext(situation(renewing, declined, { payment: undefined }), {})).toEqual({ kind: 'done' })
  })
})

describe('whatever the situation and the facts', () => {
  const codes = Object.keys(errorCodes).filter(isErrorCode)
  const outcome: fc.Arbitrary<OperationOutcome> = fc.oneof(
    fc.constant(approved(1000)),
    fc.constant(pending),
    fc.constant(unknown),
    fc.constantFrom(...codes).map((code) => refused(code)),
    fc.constantFrom(...codes).map((code) => refused(code, 'failed')),
  )
  const operation = fc
    .constantFrom(
      'screening' as const,
      'authentication' as const,
      'approval' as const,
      'authorize' as const,
      'sale' as const,
      'capture' as const,
      'void' as const,
      'refund' as const,
    )
    .map((kind) => operationOf(kind, 1000))
  const requestState = fc.constantFrom<RequestState>(
    whole,
    {},
    { instrument: { card } },
    { ...whole, route: { ...route, retriesOn: [] } },
  )
  const answers = fc.record({
    newerCard: fc.constantFrom<NonNullable<NextStepFacts['newerCard']>>('none', newerCard),
    authentication: fc.constantFrom<NonNullable<NextStepFacts['authentication']>>('possible', 'impossible'),
    anotherService: fc.constantFrom<NonNullable<NextStepFacts['anotherService']>>('none', another),
  })
  const sends = new Set(['approval', 'authorize', 'sale'])
  const any = fc.record({ operation, outcome, requestState }).map((drawn) =>
    situation(drawn.operation, drawn.outcome, {
      requestState: drawn.requestState,
      payment: sends.has(drawn.operation.kind) ? payment : undefined,
    }),
  )

  /** Looks up what the decision asks for, until it is made. */
  function decided(from: Situation, facts: Required<NextStepFacts>): { next: NextStep; asked: string[] } {
    const asked: (keyof NextStepFacts)[] = []
    for (;;) {
      const known = Object.fromEntries(asked.map((fact) => [fact, facts[fact]])) as NextStepFacts
      const next: NextStep | MissingFact = decideNext(from, known)
      if (next.kind !== 'look-up') return { next, asked }
      asked.push(next.fact)
    }
  }

  test('no fact is looked up twice', () => {
    fc.assert(
      fc.property(any, answers, (from, facts) => {
        const { asked } = decided(from, facts)
        expect(new Set(asked).size).toBe(asked.length)
      }),
    )
  })

  test('only a refusal is retried: after an approved, a pending and an unknown outcome money may have moved', () => {
    fc.assert(
      fc.property(any, answers, (from, facts) => {
        const { next } = decided(from, facts)
        if (isRetry(next)) expect(['declined', 'failed']).toContain(from.outcome.status)
        if (from.outcome.status === 'unknown') expect(next).toEqual({ kind: 'done' })
      }),
    )
  })

  test('recovery, which has no card and no state of a request, looks nothing up and never retries', () => {
    fc.assert(
      fc.property(any, answers, (from, facts) => {
        const { next, asked } = decided({ ...from, requestState: {}, payment: undefined }, facts)
        expect(asked).toEqual([])
        expect(isRetry(next)).toBe(false)
      }),
    )
  })
})
