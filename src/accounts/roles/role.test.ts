import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { covers } from '../../api/auth/scopes.ts'
import { roles } from './role.ts'

const railyard = await startRailyardForFile()

test('roles are listed by name with their scopes; an add-on has the roles that it may be given beside', async () => {
  const { status, body } = await railyard.admin.get('/roles')
  expect(status).toBe(200)
  const slugs =
    'administrator analyst approver customer-support pii-viewer processing report-manager report-viewer system-manager system-support user-manager'
  expect(body).toMatchObject({ limit: 20, next_cursor: null, previous_cursor: null })
  expect(body.items.map((role: { slug: string }) => role.slug).join(' ')).toBe(slugs)
  expect(body.items[0]).toEqual({
    type: 'role',
    id: expect.any(String),
    name: 'Administrator',
    slug: 'administrator',
    description: expect.any(String),
    permissions: { allow: ['*.read', '*.write', 'embed'] },
    assignable_to: ['user', 'api-key-pair'],
    applies_to: [],
    is_standalone_assignable: true,
  })
  expect(body.items[4]).toMatchObject({
    assignable_to: ['user'],
    applies_to: ['analyst', 'customer-support'],
    is_standalone_assignable: false,
  })
})

test('the list of roles is read page by page, and back', async () => {
  const whole = (await railyard.admin.get('/roles')).body.items
  const pages = [(await railyard.admin.get('/roles?limit=4')).body]
  for (let page = pages[0]; page.next_cursor; page = pages.at(-1))
    pages.push((await railyard.admin.get(`/roles?limit=4&cursor=${page.next_cursor}`)).body)
  expect(pages.flatMap(({ items }) => items)).toEqual(whole)
  expect(pages).toHaveLength(3)
  const back = (await railyard.admin.get(`/roles?limit=4&cursor=${pages[2].previous_cursor}`)).body
  expect(back).toEqual(pages[1])
  expect((await railyard.admin.get(`/api-key-pairs?cursor=${pages[0].next_cursor}`)).status).toBe(400)
})

/** Semantics §1.3, and the additions of Railyard. */
const resources = [
  'disputes saved-views spending-limits',
  'anti-fraud-service-definitions anti-fraud-services api-key-pairs api-logs apple-pay-certificates audit-logs bin-checker business-contexts buyers',
  'buyers.billing-details card-scheme-definitions checkout-sessions connections digital-wallets flows gift-card-service-definitions gift-card-services',
  'approval-policies approvals',
  'gift-cards health-dashboard merchant-accounts metrics-explorer monitoring payment-links payment-method-definitions payment-methods payment-options',
  'payment-service-definitions payment-services payouts reports reset roles sessions three-ds-scenarios transactions users users.me vault-forward',
  'vault-forward-authentications vault-forward-configs vault-forward-definitions webhook-subscriptions',
].flatMap((line) => line.split(' '))

test('the role administrator opens every operation, and each scope of another role is about a resource of the API', async () => {
  const { paths } = (await railyard.send('GET', '/openapi.json')).body
  const operations = Object.values<Record<string, { 'x-scopes': string[] }>>(paths).flatMap((path) =>
    Object.values(path),
  )
  const wanted = new Set(operations.flatMap((operation) => operation['x-scopes']))
  const administrator = roles.find(({ slug }) => slug === 'administrator')?.scopes ?? []
  expect(wanted.size).toBeGreaterThan(30)
  expect([...wanted].filter((scope) => !covers(administrator, scope))).toEqual([])
  const others = roles.filter(({ slug }) => slug !== 'administrator').flatMap(({ scopes }) => scopes)
  expect(
    others.filter(
      (scope) => scope !== 'embed' && !resources.includes(scope.replace(/\.(?:read|write)$/, '')),
    ),
  ).toEqual([])
})

test('every operation that a browser’s token opens has a scope of its own, so that `*.read` and `*.write` open it, too', async () => {
  const { paths } = (await railyard.send('GET', '/openapi.json')).body
  const operations = Object.values<Record<string, { 'x-scopes': string[] }>>(paths).flatMap((path) =>
    Object.values(path),
  )
  const embedded = operations
    .map((operation) => operation['x-scopes'])
    .filter((scopes) => scopes.includes('embed'))
  expect(embedded.length).toBeGreaterThan(5)
  expect(embedded.filter((scopes) => !scopes.some((scope) => covers(['*.read', '*.write'], scope)))).toEqual(
    [],
  )
})
