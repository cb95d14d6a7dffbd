import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { scenarioOf } from '../../test/support/domains/three-d-secure-configuration.ts'
import { type Client, card, startTestRailyard } from '../../test/support/railyard.ts'
import { invalidFields } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { cardFingerprint } from '../vault/cards/card-fingerprint.ts'
import { matchScenario } from './scenario.store.ts'
import { simulatedOutcome } from './scenario.ts'

const railyard = await startRailyardForFile()
const merchant: Client = await railyard.merchant()

const at = '/three-ds-scenarios'
const nothing = {
  first_name: null,
  last_name: null,
  email_address: null,
  amount: null,
  external_identifier: null,
  card_number: null,
}

test('a scenario is created, listed, changed and deleted', async () => {
  const merchant = await railyard.merchant()
  const outcome = {
    version: '2.2.0',
    authentication: { transaction_status: 'C' },
    result: { transaction_status: 'N' },
  }
  const created = await merchant.post(at, {
    conditions: { amount: 12_99, email_address: 'Ada@Example.com' },
    outcome,
  })
  expect(created).toMatchObject({ status: 201 })
  expect(created.body).toEqual({
    type: 'three-d-secure-scenario',
    id: expect.any(String),
    merchant_account_id: merchant.account,
    conditions: { ...nothing, amount: 12_99, email_address: 'Ada@Example.com' },
    outcome,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  const { id } = created.body
  expect((await merchant.get(at)).body).toEqual({
    items: [created.body],
    limit: 20,
    next_cursor: null,
    previous_cursor: null,
  })
  railyard.clock.advance(1_000)
  const frictionless = { version: null, authentication: { transaction_status: 'A' }, result: null }
  const changed = await merchant.put(`${at}/${id}`, {
    outcome: { authentication: { transaction_status: 'A' } },
    conditions: null,
  })
  expect(changed).toMatchObject({
    status: 200,
    body: { id, conditions: created.body.conditions, outcome: frictionless },
  })
  expect(Date.parse(changed.body.updated_at)).toBeGreaterThan(Date.parse(created.body.updated_at))
  const again = await merchant.put(`${at}/${id}`, { conditions: { first_name: 'Ada' } })
  expect(again.body).toMatchObject({ conditions: { ...nothing, first_name: 'Ada' }, outcome: frictionless })
  expect((await merchant.delete(`${at}/${id}`)).status).toBe(204)
  expect([
    (await merchant.delete(`${at}/${id}`)).status,
    (await merchant.put(`${at}/${id}`, {})).status,
  ]).toEqual([404, 404])
})

test('scenarios are listed page by page, the newest first', async () => {
  const merchant = await railyard.merchant()
  const ids: string[] = []
  for (let amount = 1; amount <= 5; amount++)
    ids.unshift((await merchant.post(at, scenarioOf({ amount }))).body.id)
  const idsOf = ({ body }: Awaited<ReturnType<Client['get']>>) =>
    body.items.map(({ id }: { id: string }) => id)
  const first = await merchant.get(`${at}?limit=2`)
  const second = await merchant.get(`${at}?limit=2&cursor=${first.body.next_cursor}`)
  const third = await merchant.get(`${at}?limit=2&cursor=${second.body.next_cursor}`)
  expect([...idsOf(first), ...idsOf(second), ...idsOf(third)]).toEqual(ids)
  expect([first.body.previous_cursor, third.body.next_cursor]).toEqual([null, null])
  expect(idsOf(await merchant.get(`${at}?limit=2&cursor=${third.body.previous_cursor}`))).toEqual(
    ids.slice(2, 4),
  )
  const stranger = await railyard.merchant()
  expect(await stranger.get(`${at}?limit=2&cursor=${first.body.next_cursor}`)).toMatchObject({ status: 400 })
})

test('a scenario without a condition, or with a challenge without a result, is refused', async () => {
  const { body } = await merchant.post(at, scenarioOf({ amount: 1 }))
  const wrong: [Record<string, unknown>, string][] = [
    [scenarioOf({}), '/conditions'],
    [scenarioOf({ amount: null, first_name: null }), '/conditions'],
    [scenarioOf({ amount: 1 }, 'C'), '/outcome/result'],
    [scenarioOf({ card_number: '4111' }), '/conditions/card_number'],
    [scenarioOf({ card_number: '411111******1111' }), '/conditions/card_number'],
  ]
  for (const [scenario, pointer] of wrong) {
    expect(await merchant.post(at, scenario)).toMatchObject(invalidFields(pointer))
    expect(await merchant.put(`${at}/${body.id}`, scenario)).toMatchObject(invalidFields(pointer))
  }
  const misshapen = [
    scenarioOf({ amount: 1 }, 'X'),
    scenarioOf({ amount: -1 }),
    scenarioOf({ first_name: '' }),
    scenarioOf({ colour: 'red' }),
    scenarioOf({ amount: 1 }, 'C', 'A'),
    { conditions: { amount: 1 }, outcome: { authentication: { transaction_status: 'Y' }, version: '3.0.0' } },
    { conditions: { amount: 1 } },
  ]
  for (const scenario of misshapen) expect((await merchant.post(at, scenario)).status).toBe(422)
  // amount 0 is a condition, too
  expect((await merchant.post(at, scenarioOf({ amount: 0 }))).status).toBe(201)
})

describe('a card number', () => {
  const number = '4111111111181072'
  const masked = '411111******1072'

  test('is answered masked and not stored', async () => {
    const merchant = await railyard.merchant()
    const { body } = await merchant.post(at, scenarioOf({ card_number: number }, 'C', 'Y'))
    expect(body.conditions.card_number).toBe(masked)
    await merchant.post(at, scenarioOf({ card_number: `${number} ` }))
    const rows = await railyard.world.run('select row_to_json(t) as row from three_d_secure_scenarios t', [])
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify([rows, (await merchant.get(at)).body, railyard.logged])).not.toContain(number)
  })

  test('stays if the masked number is sent back, and is replaced by another number', async () => {
    const merchant = await railyard.merchant()
    const { body } = await merchant.post(at, scenarioOf({ card_number: number }))
    const matched = async (paidWith: string) =>
      (
        await matchScenario(railyard.world, merchant.account, {
          amount: 2,
          fingerprint: cardFingerprint(railyard.world, merchant.account, paidWith),
          buyer: null,
        })
      )?.id
    expect(
      await merchant.put(`${at}/${body.id}`, { conditions: { card_number: masked, amount: 2 } }),
    ).toMatchObject({ status: 200 })
    expect([await matched(number), await matched(card.number)]).toEqual([body.id, undefined])
    expect(
      await merchant.put(`${at}/${body.id}`, { conditions: { card_number: '411111******1111' } }),
    ).toMatchObject(invalidFields('/conditions/card_number'))
    await merchant.put(`${at}/${body.id}`, { conditions: { card_number: card.number } })
    expect([await matched(number), await matched(card.number)]).toEqual([undefined, body.id])
  })
})

describe('a payment', () => {
  test('gets the scenario with the most conditions, from its creation to its deletion', async () => {
    const merchant = await railyard.merchant()
    const payment = {
      amount: 5_00,
      fingerprint: null,
      buyer: { billing_details: { email_address: 'ADA@example.com' } },
    }
    const match = () => matchScenario(railyard.world, merchant.account, payment)
    expect(await match()).toBeUndefined()
    const general = (await merchant.post(at, scenarioOf({ amount: 5_00 }, 'N'))).body.id
    expect((await match())?.id).toBe(general)
    const special = (
      await merchant.post(at, scenarioOf({ amount: 5_00, email_address: 'ada@EXAMPLE.com' }, 'C', 'timeout'))
    ).body.id
    const newer = (await merchant.post(at, scenarioOf({ amount: 5_00 }, 'R'))).body.id
    const found = await match()
    expect(found?.id).toBe(special)
    expect(found && simulatedOutcome(found)).toEqual({
      version: null,
      authentication: 'C',
      result: 'timeout',
    })
    await merchant.put(`${at}/${special}`, { conditions: { amount: 6_00 } })
    expect((await match())?.id).toBe(newer)
    await merchant.delete(`${at}/${newer}`)
    expect((await match())?.id).toBe(general)
    expect(await matchScenario(railyard.world, (await railyard.merchant()).account, payment)).toBeUndefined()
  })
})

test('in production there are no scenarios: every operation is forbidden, and no payment gets one', async () => {
  const production = await startTestRailyard({
    RAILYARD_ENV: 'production',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  })
  try {
    const { admin, world } = production
    const answers = [
      await admin.get(at),
      await admin.post(at, scenarioOf({ amount: 1 })),
      await admin.post(at, { colour: 'red' }),
      await admin.put(`${at}/${crypto.randomUUID()}`, scenarioOf({ amount: 1 })),
      await admin.delete(`${at}/${crypto.randomUUID()}`),
    ]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [403, 'forbidden']),
    )
    expect((await production.send('GET', at)).status).toBe(401)
    const row = {
      merchant_account_id: 'default',
      id: crypto.randomUUID(),
      created_at: '2030-01-01T00:00:00Z',
      updated_at: '2030-01-01T00:00:00Z',
    }
    const { conditions, outcome } = scenarioOf({ amount: 1 })
    const columns = {
      conditions: JSON.stringify(conditions),
      outcome: JSON.stringify(outcome),
      card_fingerprint: null,
    }
    await world.db
      .insertInto('three_d_secure_scenarios')
      .values({ ...row, ...columns })
      .execute()
    expect(
      await matchScenario(world, 'default', { amount: 1, fingerprint: null, buyer: null }),
    ).toBeUndefined()
  } finally {
    await production.close()
  }
})
