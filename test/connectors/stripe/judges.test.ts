import { describe, expect, test } from 'vitest'
import type { OperationForCall } from '../../../src/connectors/contract/call.ts'
import type { Outcome } from '../../../src/connectors/contract/outcome.ts'
import { conclude, intentIn, isObject, type Json, judge, type Recorded, recordedAnswer } from './judges.ts'
import { bench, visa } from './support.ts'

const kinds = ['authorize', 'sale', 'capture', 'increment', 'void', 'cancel', 'refund'] as const
const statuses = ['approved', 'pending', 'declined', 'failed', 'unknown']

const official = judge<{ objects: Record<string, Json> }>('official-objects').objects
const activeMerchant = judge<Recorded>('activemerchant-payment-intents')
const charges = judge<Recorded>('activemerchant-charges')
const omnipay = judge<Recorded>('omnipay-payment-intents')

describe('every recorded answer gives one outcome', () => {
  test.each([
    ...Object.entries(official).map(([name, body]) => [`official ${name}`, { status: 200, body }] as const),
    ...[activeMerchant, charges, omnipay].flatMap(({ fixtures }) =>
      Object.entries(fixtures).map(([name, fixture]) => [name, recordedAnswer(fixture)] as const),
    ),
  ])('%s', async (_name, answer) => {
    for (const kind of kinds) {
      const outcome = await conclude(kind, answer)
      expect(statuses).toContain(outcome?.status)
      // nothing is sent for the void of a card that was checked for zero
      const isAsked = kind !== 'void' || !String(intentIn(answer.body)?.['id']).startsWith('seti_')
      if (answer.status >= 400 && isAsked) expect(outcome?.status).not.toBe('approved')
    }
    const { connector, call } = bench()
    const asked = call({ committedReference: 'pi_1', paymentReference: 'pi_1' }, visa)
    const http = async () => ({ lost: false as const, headers: {}, ...answer })
    for (const finding of [
      await connector.find({ ...asked, http }),
      await connector.close?.({ ...asked, http }),
    ])
      expect(['found', 'absent', 'unsure']).toContain(finding?.status)
  })
})

const isSuccess = (outcome: Outcome | undefined) => outcome?.status === 'approved'

/** A conclusion of another library about one answer, and the operation of ours that gets it. */
interface Verdict {
  name: string
  kind: OperationForCall['kind']
  fixture: Json | undefined
  success: unknown
}

const kindOf: Readonly<Record<string, OperationForCall['kind']>> = {
  create: 'authorize',
  capture: 'capture',
  refund: 'refund',
  verify: 'authorize',
  response: 'authorize',
  inquire_response: 'authorize',
}

const ofActiveMerchant: Verdict[] = activeMerchant.cases.flatMap(
  ({ id, calls = [], responses, expect: told }) =>
    Object.entries(told).flatMap(([step, verdict]) => {
      const kind = kindOf[step]
      if (!kind || !isObject(verdict) || typeof verdict['success'] !== 'boolean') return []
      const isLast = step === 'capture' || calls.length === 1
      const fixture = activeMerchant.fixtures[(isLast ? responses.at(-1) : responses.at(-2)) ?? '']
      return [{ name: `${id} ${step}`, kind, fixture, success: verdict['success'] }]
    }),
)

const requests: Readonly<Record<string, OperationForCall['kind']>> = {
  AuthorizeRequest: 'authorize',
  ConfirmPaymentIntentRequest: 'authorize',
  PurchaseRequest: 'sale',
  CaptureRequest: 'capture',
  CancelPaymentIntentRequest: 'void',
}

const ofOmnipay: Verdict[] = omnipay.cases.flatMap(({ id, responses, expect: told }) => {
  const kind = requests[id.split('/')[0] ?? '']
  if (!kind) return []
  return [
    {
      name: id,
      kind,
      fixture: omnipay.fixtures[responses[0] ?? ''],
      success: told['isCancelled'] ?? told['isSuccessful'],
    },
  ]
})

const ofCharges: Verdict[] = charges.cases.flatMap(({ id, responses, expect: told }) => {
  const fixture = charges.fixtures[responses.at(-1) ?? '']
  const { response } = told
  if (!fixture || !isObject(fixture['error']) || !isObject(response)) return []
  return [{ name: id, kind: 'authorize', fixture, success: response['success'] }]
})

/** Where we conclude otherwise, and why. */
const differences: Readonly<Record<string, string>> = {
  'stripe_payment_intents/test_successful_create_and_confirm_intent create':
    'the intent is opened, not confirmed: for a payment that is no success yet',
  'stripe_payment_intents/test_successful_create_and_capture_intent_with_multicapture create':
    'the fixture leaves out the currency, without which no amount is believed',
  'stripe_payment_intents/test_successful_create_and_capture_intent_with_multicapture capture':
    'the fixture leaves out the currency, without which no amount is believed',
  'stripe/test_successful_refund_with_failed_fee_refund':
    'the error is about a fee of the platform, which is refunded by another request there',
  'stripe/test_successful_refund_with_failed_fee_refund_fetch':
    'the error is about a fee of the platform, which is refunded by another request there',
  'stripe/test_successful_verify_with_failed_void':
    'the error is about the void that follows; a card is verified here without a charge',
}

describe('other libraries conclude the same', () => {
  test.each([...ofActiveMerchant, ...ofOmnipay, ...ofCharges])('$name', async (verdict) => {
    const { name, kind, fixture, success } = verdict
    if (!fixture) throw new Error('there is no fixture')
    const outcome = await conclude(kind, recordedAnswer(fixture))
    expect({ name, isSame: isSuccess(outcome) === success }).toEqual({ name, isSame: !(name in differences) })
  })

  test('a declined card keeps the codes of the recorded error', async () => {
    for (const fixture of Object.values(charges.fixtures)) {
      const { error } = fixture
      if (!isObject(error) || error['type'] !== 'card_error') continue
      expect(await conclude('authorize', recordedAnswer(fixture))).toMatchObject({
        facts: {
          raw_response_code: error['decline_code'] ?? error['code'],
          raw_response_description: error['message'],
        },
      })
    }
  })

  test('the checks of the address and the security code are read the same', async () => {
    const fixture = activeMerchant.fixtures['successful_purchase_avs_pass']
    expect(fixture && (await conclude('sale', recordedAnswer(fixture)))).toMatchObject({
      facts: { avs_response_code: 'match', cvv_response_code: 'match' },
    })
  })
})

/** Our outcome for each status of an intent, beside the meaning that another orchestrator gives it. */
const meanings: Readonly<Record<string, { theirs: string; ours: string; reason?: string }>> = {
  succeeded: { theirs: 'charged', ours: 'approved' },
  requires_capture: { theirs: 'authorized', ours: 'approved' },
  processing: { theirs: 'authorizing', ours: 'pending' },
  requires_action: { theirs: 'authentication_pending', ours: 'pending' },
  requires_payment_method: {
    theirs: 'failure',
    ours: 'unknown',
    reason: 'without the error of an attempt nothing was attempted',
  },
  requires_confirmation: { theirs: 'confirmation_awaited', ours: 'unknown' },
  canceled: {
    theirs: 'voided',
    ours: 'failed',
    reason: 'a payment whose intent was canceled has failed; a void of it is approved',
  },
}

test('the statuses of an intent mean what another orchestrator reads in them', async () => {
  const table = judge<Record<string, Record<string, string>>>('prism-status')['payment_intent.status'] ?? {}
  const theirs = Object.fromEntries(Object.entries(meanings).map(([status, told]) => [status, told.theirs]))
  expect(table).toEqual(theirs)
  const next_action = { type: 'redirect_to_url', redirect_to_url: { url: 'https://hooks.stripe.test/1' } }
  for (const [status, { ours }] of Object.entries(meanings)) {
    const body = {
      ...official['payment_intent'],
      status,
      next_action,
      last_payment_error: null,
      amount_capturable: 1000,
      amount_received: 1000,
    }
    const kind = status === 'requires_capture' ? 'authorize' : 'sale'
    expect((await conclude(kind, { status: 200, body }))?.status, status).toBe(ours)
  }
})

test('notifications of another suite are read, once they are signed', async () => {
  const { payloads } = judge<{ payloads: Record<string, Json> }>('prism-webhooks')
  const { stripe, connector, call } = bench()
  const subjects: Record<string, string> = {}
  for (const [name, { grpc_req: asked }] of Object.entries(payloads)) {
    const details = isObject(asked) ? asked['request_details'] : undefined
    const event = isObject(details) ? details['body'] : undefined
    const data = isObject(event) ? event['data'] : undefined
    if (!isObject(event) || !isObject(data) || !isObject(data['object'])) continue
    const subject = await connector.readNotification?.(
      call(),
      stripe.signed(String(event['type']), data['object']),
    )
    subjects[name] = subject && 'about' in subject ? subject.about : 'several'
  }
  expect(subjects).toEqual({
    payment_succeeded: 'payment',
    payment_failed: 'payment',
    // it names a charge only, and no payment
    refund_succeeded: 'nothing',
    // its object does not say what it is
    invalid_signature: 'nothing',
  })
})
