import { expect, test } from 'vitest'
import { type Person, person } from '../../../test/support/people.ts'
import { invalidFields, openShop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const shop = await openShop(railyard)
const other = await openShop(railyard)
const merchantAccounts = [shop.account]
const ada = await person(railyard, { merchantAccounts, roles: ['customer-support'] })
const ben = await person(railyard, { merchantAccounts, roles: ['analyst'] })
const admin = await person(railyard, { merchantAccounts })

const own = { 'x-svc-merchant-account-id': shop.account }
const send = (who: Person, method: string, id = '', body?: object) =>
  who.send(method, `/saved-views${id && `/${id}`}`, body, own)
const declined = { list: 'payments', name: 'Declined', query: 'status=authorization_failed&currency=EUR' }
const create = async (who: Person, more: object = {}) =>
  (await send(who, 'POST', '', { ...declined, ...more })).body
const idsFor = async (who: Person) => (await send(who, 'GET')).body.items.map(({ id }: { id: string }) => id)

test('a private view is its owner’s alone', async () => {
  const view = await create(ada, { columns: ['amount', 'status'] })
  expect(view).toMatchObject({
    ...declined,
    type: 'saved-view',
    columns: ['amount', 'status'],
    shared: false,
    can_change: true,
    owner: { type: 'user', id: ada.id },
  })
  expect(await idsFor(ada)).toContain(view.id)
  for (const stranger of [ben, admin]) {
    expect(await idsFor(stranger)).not.toContain(view.id)
    expect(await send(stranger, 'PUT', view.id, { name: 'Mine' })).toMatchObject({ status: 404 })
    expect(await send(stranger, 'DELETE', view.id)).toMatchObject({ status: 404 })
  }
})

test('everyone of the account sees a shared view; its owner and an administrator change it', async () => {
  const view = await create(ada, { shared: true })
  expect((await send(ben, 'GET')).body.items).toContainEqual({ ...view, can_change: false })
  expect(await send(ben, 'PUT', view.id, { name: 'Ben’s' })).toMatchObject({ status: 403 })
  expect(await send(ben, 'DELETE', view.id)).toMatchObject({ status: 403 })
  expect((await send(ada, 'PUT', view.id, { name: 'All declined' })).body).toMatchObject({
    name: 'All declined',
    query: declined.query,
  })
  expect((await send(admin, 'PUT', view.id, { columns: ['id'] })).body).toMatchObject({ columns: ['id'] })
  expect(await send(admin, 'DELETE', view.id)).toMatchObject({ status: 204 })
  expect(await idsFor(ada)).not.toContain(view.id)
})

test('a key pair has shared views only', async () => {
  expect(await shop.post('/saved-views', declined)).toMatchObject(invalidFields('/shared'))
  const { body } = await shop.post('/saved-views', { ...declined, shared: true })
  expect(body).toMatchObject({ owner: { type: 'api-key-pair' } })
  expect(await shop.put(`/saved-views/${body.id}`, { shared: false })).toMatchObject(invalidFields('/shared'))
  expect((await other.get('/saved-views')).body.items).toEqual([])
})

test.each([
  ['payments', 'buyer_email_address=ada%40example.com'],
  ['payments', 'buyer_external_identifier=ada-1815'],
  ['payments', 'metadata=%7B%22customer%22%3A%22ada%22%7D'],
  ['payments', 'payment_method_fingerprint=f3a9'],
  ['buyers', 'external_identifier=ada-1815'],
])('a view of %s that filters by a person’s data is refused: %s', async (list, filter) => {
  const query = `status=processing&${filter}`
  expect(await send(ada, 'POST', '', { list, name: 'Ada', query })).toMatchObject(invalidFields('/query'))
  const view = await create(ada, { list })
  expect(await send(ada, 'PUT', view.id, { query })).toMatchObject(invalidFields('/query'))
})

test('a view of payments may name an order', async () => {
  expect(await create(ada, { query: 'external_identifier=order-7' })).toMatchObject({ type: 'saved-view' })
})

test('a person has at most a hundred views', async () => {
  await Promise.all(Array.from({ length: 60 }, () => create(ben)))
  for (const _ of Array.from({ length: 40 })) await create(ben)
  expect(await send(ben, 'POST', '', declined)).toMatchObject(invalidFields('/name'))
})
