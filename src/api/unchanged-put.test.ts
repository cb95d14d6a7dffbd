import { describe, expect, test } from 'vitest'
import { startForAudit } from '../../test/support/checks/audited-operations.ts'
import { operationsOf } from '../../test/support/checks/schema-values.ts'
import { PASSWORD, person, roleIds } from '../../test/support/people.ts'
import { type Answer, card } from '../../test/support/railyard.ts'

/** PUTs that the walk leaves out, and why. */
const exceptions: Record<string, string> = {
  update_own_user: 'a person sends it: see below',
  update_checkout_session_fields: 'a buyer’s entries are stored again, and the answer has no body',
  set_sandbox_faults: 'the counts of the faults begin again',
}

const { railyard, shop, requests } = await startForAudit()
const puts = operationsOf((await railyard.send('GET', '/openapi.json')).body).flatMap(({ id, method }) =>
  method === 'PUT' ? [id] : [],
)

/** The numbers of events and of audit log entries. */
async function written(): Promise<unknown> {
  const [counts] = await railyard.world.run(
    'select (select count(*) from events) as events, (select count(*) from audit_entries) as audited',
    [],
  )
  return counts
}

const withoutUpdatedAt = ({ updated_at: _, ...body }: Answer['body']) => body

describe('a PUT that changes nothing writes no event and no entry of the audit log, and leaves updated_at as it was', () => {
  test('for every resource, when the same request is sent again', async () => {
    const tested: string[] = []
    for (const id of puts.filter((name) => !(name in exceptions))) {
      const [path = '', body] = (await requests[id]?.request()) ?? []
      expect(path, `there is no request for ${id}`).not.toBe('')
      const first = await shop.put(path, body)
      expect({ id, status: first.status }).toEqual({ id, status: 200 })
      const before = await written()
      railyard.clock.advance(1_000)
      const again = await shop.put(path, body)
      expect({ id, status: again.status, body: again.body, written: await written() }).toEqual({
        id,
        status: 200,
        body: first.body,
        written: before,
      })
      tested.push(id)
    }
    expect(tested.length).toBeGreaterThan(18)
  })

  test('for every resource whose update may be empty, when the request is empty', async () => {
    const unchanged: string[] = []
    for (const id of puts.filter((name) => !(name in exceptions))) {
      const [path = '', body] = (await requests[id]?.request()) ?? []
      const first = await shop.put(path, body)
      const before = await written()
      railyard.clock.advance(1_000)
      const again = await shop.put(path, {})
      // some need members, or an absent member changes something
      if (
        again.status !== 200 ||
        JSON.stringify(withoutUpdatedAt(again.body)) !== JSON.stringify(withoutUpdatedAt(first.body))
      )
        continue
      expect({ id, updated_at: again.body.updated_at, written: await written() }).toEqual({
        id,
        updated_at: first.body.updated_at,
        written: before,
      })
      unchanged.push(id)
    }
    expect(unchanged).toEqual(
      expect.arrayContaining([
        'update_buyer',
        'update_merchant_account',
        'update_payment_service',
        'update_transaction',
      ]),
    )
  })

  test('when a person sends their own name again, and not when they choose another one', async () => {
    const ada = await person(railyard)
    const first = await ada.send('PUT', '/users/me', { name: 'Ada L.' })
    expect(first).toMatchObject({ status: 200, body: { name: 'Ada L.' } })
    const before = await written()
    expect(await ada.send('PUT', '/users/me', { name: 'Ada L.' })).toMatchObject({
      status: 200,
      body: first.body,
    })
    expect(await written()).toEqual(before)
    expect(await ada.send('PUT', '/users/me', { name: 'Ada K.' })).toMatchObject({
      status: 200,
      body: { name: 'Ada K.' },
    })
    expect(await written()).not.toEqual(before)
  })

  test('when the roles of a person are sent in another order', async () => {
    const role_ids = roleIds('analyst', 'report-viewer')
    const created = await railyard.admin.post('/users', {
      email_address: 'order@example.com',
      name: 'Order',
      role_ids,
    })
    expect(created).toMatchObject({ status: 201 })
    const { id } = created.body
    const before = await written()
    expect(await railyard.admin.put(`/users/${id}`, { role_ids: role_ids.toReversed() })).toMatchObject({
      status: 200,
    })
    expect(await written()).toEqual(before)
    expect(await railyard.admin.put(`/users/${id}`, { role_ids: roleIds('analyst') })).toMatchObject({
      status: 200,
    })
    expect(await written()).not.toEqual(before)
  })
})

describe('a PUT that changes only a member that is never answered writes an event and an entry of the audit log', () => {
  test('for the password of a webhook subscription', async () => {
    const authentication = { kind: 'basic', username: 'hook', password: PASSWORD }
    const { id } = (
      await shop.post('/webhook-subscriptions', { url: 'https://shop.example/hook', authentication })
    ).body
    const before = await written()
    expect(await shop.put(`/webhook-subscriptions/${id}`, { authentication })).toMatchObject({ status: 200 })
    expect(await written()).toEqual(before)
    expect(
      await shop.put(`/webhook-subscriptions/${id}`, {
        authentication: { ...authentication, password: 'another' },
      }),
    ).toMatchObject({
      status: 200,
    })
    expect(await written()).not.toEqual(before)
  })

  test('for the card number of a 3-D Secure scenario', async () => {
    const scenario = {
      conditions: { card_number: card.number },
      outcome: { authentication: { transaction_status: 'Y' }, version: '2.2.0' },
    }
    const { id } = (await shop.post('/three-ds-scenarios', scenario)).body
    const before = await written()
    expect(await shop.put(`/three-ds-scenarios/${id}`, { conditions: scenario.conditions })).toMatchObject({
      status: 200,
    })
    expect(await written()).toEqual(before)
    // the answer shows the first six and last four digits, which stay the same
    expect(
      await shop.put(`/three-ds-scenarios/${id}`, { conditions: { card_number: '4111110000091111' } }),
    ).toMatchObject({ status: 200 })
    expect(await written()).not.toEqual(before)
  })
})

test('flow rules that are sent again without their ids keep the ids that they have', async () => {
  const rule = (display_name: string) => ({
    display_name,
    action: 'decline-early',
    condition: { field: 'country', operator: 'is', value: 'DE' },
  })
  const first = await shop.put('/flows/card-transaction/rules', { items: [rule('One'), rule('Two')] })
  const again = await shop.put('/flows/card-transaction/rules', { items: [rule('One'), rule('Other')] })
  expect(again.body.items[0].id).toBe(first.body.items[0].id)
  expect(again.body.items[1].id).not.toBe(first.body.items[1].id)
  const [one] = again.body.items
  const twice = { items: [rule('One'), { ...rule('Three'), id: one.id }] }
  expect(await shop.put('/flows/card-transaction/rules', twice)).toMatchObject({
    status: 200,
    body: { items: [{ display_name: 'One' }, { id: one.id }] },
  })
})
