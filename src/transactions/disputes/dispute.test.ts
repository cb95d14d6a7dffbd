import { describe, expect, test } from 'vitest'
import {
  addDisputeProvider,
  disputeNotice,
  referenceOf,
  tell,
} from '../../../test/support/domains/disputes.ts'
import { readEvents } from '../../../test/support/events.ts'
import { invalidFields, type Payment } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import type { DisputeNotice } from '../../connectors/contract/connector.ts'
import type { Event } from '../../events/event.schema.ts'
import { intendFollowUp } from '../../operations/journal/functions/intend-follow-up.sql.ts'
import { verify } from '../../verify/verify.ts'

const { railyard, shop } = await startShop()
const provider = addDisputeProvider(railyard)

const told = async (notice: DisputeNotice) =>
  expect(await tell(railyard, shop, notice)).toMatchObject({ status: 200, body: { received: true } })
const report = async ({ id }: Payment, event: 'disputed' | 'dispute_reversed', amount: number) =>
  expect(await shop.post(`/sandbox/transactions/${id}/simulate`, { event, amount })).toMatchObject({
    status: 200,
  })
const disputesOf = async ({ id }: Payment) => (await shop.get(`/transactions/${id}/disputes`)).body.items
/** A payment of 100.00 with a dispute of 60.00. */
async function disputed(more: Partial<DisputeNotice> = {}) {
  const payment = await shop.sold(100_00)
  const notice = disputeNotice(await referenceOf(payment), more)
  await told(notice)
  const [dispute] = await disputesOf(payment)
  return { payment, notice, dispute }
}
const eventsOf = async (id: string): Promise<Event[]> =>
  (await readEvents(railyard, shop)).filter(({ target }) => target.id === id)
const noFindings = async () => expect((await verify(railyard.world.run)).findings).toEqual([])

describe('a payment service tells of a dispute', () => {
  test('the dispute is shown, and its money is not refunded without force', async () => {
    const { payment, notice, dispute } = await disputed()
    expect(dispute).toMatchObject({
      type: 'dispute',
      payment_service_dispute_id: notice.id,
      transaction_id: payment.id,
      status: 'needs_response',
      amount: 60_00,
      withdrawn_amount: 60_00,
      returned_amount: 0,
      reason_code: '10.4',
      evidence_due_at: '2099-01-01T00:00:00.000000+00:00',
      discrepancy: null,
      closed_at: null,
    })
    expect((await shop.get(`/disputes/${dispute.id}`)).body).toEqual(dispute)
    expect(await payment.read()).toMatchObject({ disputed: true, disputed_amount: 60_00 })
    const refused = await payment.refund({ amount: 40_01 })
    expect(refused).toMatchObject(invalidFields('/amount'))
    expect(refused.body.details[0].message).toContain(`6000 is disputed (dispute ${dispute.id})`)
    expect(await payment.refund()).toMatchObject({ status: 201, body: { amount: 40_00 } })
    const forced = await payment.refund({ amount: 10_00, force: true, reason: 'goodwill' })
    expect(forced.status).toBe(201)
    const { items } = (await shop.get('/audit-logs?limit=20')).body
    expect(items.map(({ resource }: { resource: { name: string } }) => resource.name)).toContain(
      `refund forced: goodwill (dispute ${dispute.id})`,
    )
  })

  test('the payment is named by Railyard’s id of the operation as well', async () => {
    const payment = await shop.sold(100_00)
    const [capture] = await payment.captures()
    await told(disputeNotice(capture.id))
    expect(await disputesOf(payment)).toHaveLength(1)
  })

  test('an inquiry takes no money, and the payment can be refunded', async () => {
    const { payment } = await disputed({ status: 'inquiry', funds: null })
    expect(await payment.read()).toMatchObject({ disputed: false, disputed_amount: 0 })
    expect(await payment.refund()).toMatchObject({ status: 201, body: { amount: 100_00 } })
  })

  test('each change has one event and one line of the timeline, however often it is told', async () => {
    const { payment, notice, dispute } = await disputed()
    const later = (day: number, more: Partial<DisputeNotice>) => ({
      ...notice,
      evidenceDueAt: null,
      occurredAt: `2026-01-0${day}T10:00:00Z`,
      ...more,
    })
    const review = later(2, { status: 'under_review', funds: null })
    const won = later(3, { status: 'won', funds: 'returned' })
    for (const each of [notice, won, review, won, notice, review]) await told(each)
    expect(
      (await eventsOf(dispute.id)).map(({ name, target, sequence }) => [
        name,
        'status' in target && target.status,
        sequence,
      ]),
    ).toEqual([
      ['dispute.opened', 'needs_response', 1],
      ['dispute.closed', 'won', 2],
    ])
    expect(await payment.read()).toMatchObject({ disputed: true, disputed_amount: 0 })
    expect((await payment.timeline()).filter((name) => name.startsWith('dispute'))).toEqual([
      'dispute-opened',
      'dispute-closed',
    ])
  })

  test('a dispute stays with its payment when a later notice names another one', async () => {
    const { payment, notice, dispute } = await disputed()
    const other = await shop.sold(100_00)
    const occurredAt = '2026-01-02T10:00:00Z'
    await told({ ...notice, payment: await referenceOf(other), status: 'won', funds: 'returned', occurredAt })
    expect((await shop.get(`/disputes/${dispute.id}`)).body).toMatchObject({
      transaction_id: payment.id,
      status: 'won',
    })
    expect(await payment.read()).toMatchObject({ disputed: true, disputed_amount: 0 })
    expect(await other.read()).toMatchObject({ disputed: false, disputed_amount: 0 })
    await noFindings()
  })

  test('what does not fit the payment is recorded and shown as a discrepancy', async () => {
    const refunded = await shop.sold(100_00)
    await refunded.refund({ amount: 70_00 })
    await told(disputeNotice(await referenceOf(refunded)))
    expect(await disputesOf(refunded)).toMatchObject([{ discrepancy: 'amount_exceeds' }])
    expect(await refunded.read()).toMatchObject({ refunded_amount: 70_00, disputed_amount: 60_00 })
    const foreign = await disputed({ currency: 'USD' })
    expect(foreign.dispute).toMatchObject({ discrepancy: 'other_currency' })
    expect(await foreign.payment.read()).toMatchObject({ disputed: true, disputed_amount: 0 })
    const nobodys = disputeNotice('a payment of another system')
    await told(nobodys)
    const { items } = (await shop.get('/disputes?limit=1')).body
    expect(items).toMatchObject([{ transaction_id: null, discrepancy: 'unknown_transaction' }])
    await noFindings()
  })

  test('a dispute in another currency holds the payment’s money until it is given back', async () => {
    const { payment, notice, dispute } = await disputed({ currency: 'USD' })
    const refused = await payment.refund({ amount: 1_00 })
    expect(refused).toMatchObject(invalidFields('/amount'))
    expect(refused.body.details[0].message).toContain(`dispute ${dispute.id} has taken money in USD`)
    expect(await payment.refund({ amount: 1_00, force: true, reason: 'goodwill' })).toMatchObject({
      status: 201,
    })
    const occurredAt = '2026-01-02T10:00:00Z'
    await told({ ...notice, status: 'won', funds: 'returned', occurredAt })
    expect(await payment.refund()).toMatchObject({ status: 201, body: { amount: 99_00 } })
    await noFindings()
  })

  test('a dispute in another currency holds what a settlement report says of it', async () => {
    const { payment } = await disputed({ currency: 'USD' })
    await report(payment, 'disputed', 55_00)
    expect(await payment.refund({ amount: 45_01 })).toMatchObject(invalidFields('/amount'))
    expect(await payment.refund()).toMatchObject({ status: 201, body: { amount: 45_00 } })
    await noFindings()
  })

  test('a notification of another account’s payment service names none of this account’s payments', async () => {
    const payment = await shop.sold(100_00)
    const other = { ...shop, ...(await railyard.merchant()) }
    await tell(railyard, other, disputeNotice(await referenceOf(payment)))
    expect(await disputesOf(payment)).toEqual([])
    expect((await other.get('/disputes')).body.items).toMatchObject([{ discrepancy: 'unknown_transaction' }])
  })
})

describe('a settlement report tells of the same dispute', () => {
  test('its money counts once, whichever comes first', async () => {
    const first = await disputed()
    await report(first.payment, 'disputed', 60_00)
    expect(await first.payment.read()).toMatchObject({ disputed_amount: 60_00 })
    const second = await shop.sold(100_00)
    await report(second, 'disputed', 60_00)
    await told(disputeNotice(await referenceOf(second)))
    expect(await second.read()).toMatchObject({ disputed_amount: 60_00 })
    const refused = await second.refund({ amount: 40_01 })
    const [chargeback] = (await shop.get(`/transactions/${second.id}/chargebacks`)).body.items
    const [dispute] = await disputesOf(second)
    expect(refused.body.details[0].message).toContain(`(chargeback ${chargeback.id}, posted at `)
    expect(refused.body.details[0].message).toContain(`; dispute ${dispute.id})`)
    await noFindings()
  })

  test('a reversal is believed from the source that has it first', async () => {
    const { payment, notice } = await disputed()
    await report(payment, 'disputed', 60_00)
    await report(payment, 'dispute_reversed', 60_00)
    expect(await payment.read()).toMatchObject({ disputed_amount: 0 })
    await told({ ...notice, status: 'won', funds: 'returned', occurredAt: '2026-02-01T00:00:00Z' })
    expect(await payment.read()).toMatchObject({ disputed_amount: 0 })
    await noFindings()
  })
})

describe('the merchant lists disputes', () => {
  test('by payment, status and the time for evidence, in pages', async () => {
    const { payment, dispute } = await disputed({ evidenceDueAt: '2030-05-01T00:00:00Z' })
    await told(disputeNotice(await referenceOf(payment), { amount: 1_00, status: 'inquiry', funds: null }))
    const ids = async (query: string) =>
      (await shop.get(`/disputes?transaction_id=${payment.id}&${query}`)).body.items.map(
        ({ id }: { id: string }) => id,
      )
    expect(await ids('')).toHaveLength(2)
    expect(await ids('status=needs_response')).toEqual([dispute.id])
    expect(await ids('status=needs_response&status=inquiry')).toHaveLength(2)
    expect(await ids(`evidence_due_before=${encodeURIComponent('2030-05-02T00:00:00Z')}`)).toEqual([
      dispute.id,
    ])
    const { body: page } = await shop.get(`/transactions/${payment.id}/disputes?limit=1`)
    expect(page.items).toHaveLength(1)
    const { body: next } = await shop.get(
      `/transactions/${payment.id}/disputes?limit=1&cursor=${encodeURIComponent(page.next_cursor)}`,
    )
    expect(next.items).toMatchObject([{ id: dispute.id }])
  })
})

describe('the merchant answers a dispute', () => {
  const evidence = {
    text: { product_description: 'A book' },
    files: [{ subject: 'receipt', name: 'receipt.pdf', type: 'application/pdf', content: 'JVBERi0=' }],
  }
  const key = (name: string) => ({ 'idempotency-key': name })

  test('evidence reaches the payment service once for each idempotency key, and the audit log has it', async () => {
    const { dispute, notice } = await disputed()
    provider.submissions.length = 0
    const first = await shop.post(`/disputes/${dispute.id}/evidence`, evidence, key('evidence-1'))
    expect(first).toMatchObject({ status: 200, body: { evidence_submitted_at: expect.any(String) } })
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, evidence, key('evidence-1'))).toMatchObject({
      status: 200,
      body: first.body,
    })
    expect(
      await shop.post(`/disputes/${dispute.id}/evidence`, { text: { other: 'x' } }, key('evidence-1')),
    ).toMatchObject({ status: 409, body: { code: 'duplicate_record' } })
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, evidence)).toMatchObject({ status: 400 })
    expect(provider.submissions).toMatchObject([
      {
        dispute: notice.id,
        text: evidence.text,
        files: [{ subject: 'receipt', type: 'application/pdf', content: Buffer.from('%PDF-') }],
      },
    ])
    expect((await eventsOf(dispute.id)).map(({ name }) => name)).toEqual([
      'dispute.opened',
      'dispute.updated',
    ])
    const { items } = (await shop.get('/audit-logs?limit=5')).body
    expect(items).toContainEqual(
      expect.objectContaining({
        action: 'updated',
        resource: { type: 'dispute', id: dispute.id, name: 'evidence submitted' },
      }),
    )
    await noFindings()
  })

  test('after an unknown outcome the same request has the same key at the payment service', async () => {
    const { dispute } = await disputed()
    provider.submissions.length = 0
    provider.answer = { status: 'unknown', reason: 'timeout' }
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, evidence, key('evidence-2'))).toMatchObject({
      status: 504,
    })
    provider.answer = { status: 'done' }
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, evidence, key('evidence-2'))).toMatchObject({
      status: 200,
    })
    const [lost, repeated] = provider.submissions
    expect(repeated?.key).toBe(lost?.key)
  })

  test('evidence has what agents’ protocols prove of the payment, if the merchant names a subject', async () => {
    const agent_evidence = [{ protocol: 'ap2', kind: 'cart-mandate', content: 'eyJ.e30.x' }]
    const { dispute, payment } = await disputed()
    provider.submissions.length = 0
    const withMandates = { ...evidence, agent_evidence_subject: 'uncategorized_text' }
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, withMandates)).toMatchObject(
      invalidFields('/agent_evidence_subject'),
    )
    await railyard.world.run(
      `update transactions set details = details || jsonb_build_object('agent_evidence', $2::jsonb) where id = $1`,
      [payment.id, JSON.stringify(agent_evidence)],
    )
    expect((await shop.post(`/disputes/${dispute.id}/evidence`, withMandates)).status).toBe(200)
    expect(provider.submissions).toMatchObject([
      { text: { ...evidence.text, uncategorized_text: 'ap2 cart-mandate:\neyJ.e30.x' } },
    ])
  })

  test('evidence is refused with 400 when its time is over, or when the payment service refuses it', async () => {
    const late = await disputed({ evidenceDueAt: '2020-01-01T00:00:00Z' })
    const none = await disputed({ evidenceDueAt: null })
    for (const { dispute } of [late, none])
      expect(await shop.post(`/disputes/${dispute.id}/evidence`, evidence)).toMatchObject({
        status: 400,
        body: { code: 'bad_request' },
      })
    const { dispute } = await disputed()
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, {})).toMatchObject({ status: 400 })
    provider.answer = { status: 'refused', reason: 'unknown subject' }
    expect(await shop.post(`/disputes/${dispute.id}/evidence`, evidence)).toMatchObject({
      status: 400,
      body: { message: 'The payment service refuses it: unknown subject' },
    })
    provider.answer = { status: 'done' }
  })

  test('an accepted dispute takes no evidence and is not accepted again', async () => {
    const { dispute, notice } = await disputed()
    expect(await shop.post(`/disputes/${dispute.id}/accept`)).toMatchObject({
      status: 200,
      body: { accepted_at: expect.any(String) },
    })
    expect(provider.accepted.at(-1)).toMatchObject({ id: notice.id })
    expect((await shop.post(`/disputes/${dispute.id}/accept`)).status).toBe(400)
    expect((await shop.post(`/disputes/${dispute.id}/evidence`, evidence)).status).toBe(400)
  })
})

describe('refunds beside notifications', () => {
  test('never refund money that a dispute has taken by then', async () => {
    for (let round = 0; round < 6; round++) {
      const payment = await shop.sold(100_00)
      const notice = disputeNotice(await referenceOf(payment), { amount: 50_00 })
      const refunds = Array.from({ length: 5 }, () => payment.refund({ amount: 30_00 }))
      const [, , ...answers] = await Promise.all([told(notice), told(notice), ...refunds])
      const succeeded = answers.filter(({ status }) => status === 201).length
      const { refunded_amount, disputed_amount } = await payment.read()
      expect({ refunded_amount, disputed_amount }).toEqual({
        refunded_amount: succeeded * 30_00,
        disputed_amount: 50_00,
      })
      const [dispute] = await disputesOf(payment)
      if (refunded_amount + disputed_amount > 100_00) expect(dispute.discrepancy).toBe('amount_exceeds')
      const left = Math.max(0, 50_00 - refunded_amount)
      expect((await payment.refund({ amount: left + 1 })).status).toBe(400)
    }
    await noFindings()
  })

  test('a reservation sees a dispute that is recorded after the rules were applied', async () => {
    const payment = await shop.sold(60_00)
    const notice = disputeNotice(await referenceOf(payment))
    const { world } = railyard
    const { run } = world
    world.run = async (text, values) => {
      if (text === intendFollowUp.refund.text) {
        world.run = run
        await told(notice)
      }
      return run(text, values)
    }
    expect(await payment.refund({ amount: 60_00 })).toMatchObject(invalidFields('/amount'))
    expect(world.run).toBe(run)
    expect(await payment.read()).toMatchObject({ refunded_amount: 0, disputed_amount: 60_00 })
  })
})
