import { expect, test } from 'vitest'
import type { Client } from '../../../test/support/railyard.ts'
import { roleIds } from '../../../test/support/roles.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

type Pair = { id: string; active: boolean; roles: { slug: string }[]; merchant_accounts: object[] }
let admin: Client
const railyard = await startRailyardForFile()
admin = railyard.admin

const pairsOf = async (): Promise<Pair[]> => (await admin.get('/api-key-pairs?limit=100')).body.items
const administratorsOf = (pairs: Pair[]) =>
  pairs.filter(
    ({ active, roles, merchant_accounts }) =>
      active && merchant_accounts.length === 0 && roles.some(({ slug }) => slug === 'administrator'),
  )
const create = async (more: object = {}): Promise<Pair> =>
  (
    await admin.post('/api-key-pairs', {
      display_name: 'Another',
      role_ids: roleIds('administrator'),
      ...more,
    })
  ).body

/** The requests that take the last administrator away from an instance. */
const removals: Record<string, (id: string, by?: Client) => ReturnType<Client['put']>> = {
  deleted: (id, by = admin) => by.delete(`/api-key-pairs/${id}`),
  deactivated: (id, by = admin) => by.put(`/api-key-pairs/${id}`, { active: false }),
  demoted: (id, by = admin) => by.put(`/api-key-pairs/${id}`, { role_ids: roleIds('processing') }),
  limited: (id, by = admin) => by.put(`/api-key-pairs/${id}`, { merchant_account_ids: ['default'] }),
}

/** Leaves the caller's own key as the only administrator. */
async function leaveOneAdministrator(): Promise<string> {
  const own = await railyard.client({ account: 'default' })
  for (const { id } of administratorsOf(await pairsOf()))
    if (id !== own.keyId) await own.delete(`/api-key-pairs/${id}`)
  admin = own
  expect(administratorsOf(await pairsOf()).map(({ id }) => id)).toEqual([own.keyId])
  return own.keyId
}

test('the last administrator’s key is not deleted, deactivated, demoted or limited, whatever other keys there are', async () => {
  const id = await leaveOneAdministrator()
  await create({ role_ids: roleIds('processing') })
  await create({ active: false })
  await create({ merchant_account_ids: ['default'] })
  const before = await pairsOf()
  for (const remove of Object.values(removals)) {
    const answer = await remove(id)
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    expect(answer.body.message).toMatch(/last active administrator/)
  }
  expect(
    (await pairsOf()).map(({ last_used_at: _, ...pair }: Pair & { last_used_at?: string }) => pair),
  ).toEqual(before.map(({ last_used_at: _, ...pair }: Pair & { last_used_at?: string }) => pair))
  expect(
    (
      await admin.put(`/api-key-pairs/${id}`, {
        display_name: 'Renamed',
        role_ids: roleIds('administrator', 'processing'),
      })
    ).status,
  ).toBe(200)
  for (const pair of before.filter((pair) => pair.id !== id))
    expect((await admin.delete(`/api-key-pairs/${pair.id}`)).status).toBe(204)
})

test.each(Object.entries(removals))(
  'one of two administrators stays when they are %s at once, each by the other',
  async (_name, remove) => {
    const keyId = await leaveOneAdministrator()
    const one = { ...admin, keyId }
    const other = await railyard.client({ account: 'default' })
    const answers = await Promise.all([remove(other.keyId, one), remove(one.keyId, other)])
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    const left = answers[0]?.status && answers[0].status < 300 ? one : other
    admin = left
    expect(administratorsOf(await pairsOf()).map(({ id }) => id)).toEqual([left.keyId])
  },
)
