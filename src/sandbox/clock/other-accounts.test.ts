import { expect, test } from 'vitest'
import { anonymously, invite, PASSWORD, person } from '../../../test/support/people.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { movedClocks } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { startRetention } from '../../background/retention.ts'
import { currentTimeValues, forEachAccountTime } from '../../base/account-clock.ts'

const railyard = await startRailyardForFile()

const moved = async (by: string) => {
  const shop = await openShop(railyard)
  expect((await shop.post('/sandbox/clock/advance', { by })).status).toBe(200)
  return shop
}

/** The erasures that a process runs when it starts and each day. */
const clean = () => startRetention(railyard.world)()

test('advancing a clock does not end sessions or invitations', async () => {
  const ada = await person(railyard)
  const invited = await invite(railyard)
  await moved('P30D')
  await clean()
  expect((await ada.get('/users/me')).status).toBe(200)
  expect(await railyard.world.db.selectFrom('user_invitations').select('user_id').execute()).toEqual([
    { user_id: invited.body.id },
  ])
})

test('advancing a clock does not make a used wallet token valid again', async () => {
  const { db } = railyard.world
  const usable_until = new Date(Date.now() + 60_000).toISOString()
  const used = {
    merchant_account_id: 'default',
    source: 'apple-pay' as const,
    token: Buffer.alloc(32),
    usable_until,
  }
  await db.insertInto('used_wallet_tokens').values(used).execute()
  const shop = await moved('P30D')
  await db
    .insertInto('used_wallet_tokens')
    .values({ ...used, merchant_account_id: shop.account })
    .execute()
  await clean()
  expect(await db.selectFrom('used_wallet_tokens').select('merchant_account_id').execute()).toEqual([
    { merchant_account_id: 'default' },
  ])
})

test('advancing a clock does not reset the count of guesses', async () => {
  const { email } = await person(railyard)
  const shop = await moved('P30D')
  for (let time = 0; time < 5; time++)
    await anonymously(railyard, 'POST', '/sessions', { email_address: email, password: 'wrong, as it were' })
  const answer = await anonymously(railyard, 'POST', `/sessions?account=${shop.account}`, {
    email_address: email,
    password: PASSWORD,
  })
  expect(answer.status).toBe(401)
})

test('a clock is at most ten years ahead, however often it is advanced', async () => {
  const shop = await moved('P9Y')
  expect((await shop.post('/sandbox/clock/advance', { by: 'P2Y' })).status).toBe(400)
  expect((await shop.post('/sandbox/clock/advance', { by: 'P1D' })).status).toBe(200)
})

test('a failing round of one account does not delay the others', async () => {
  const [first, second] = [await moved('P1D'), await moved('P1D')]
  const seen: (string | null)[] = []
  const round = async () => {
    const [account] = currentTimeValues()
    seen.push(account)
    if (account === first.account) throw new Error('what is due could not be read')
    return 1
  }
  await expect(forEachAccountTime(await movedClocks(railyard.world), round)).rejects.toThrow(
    'could not be read',
  )
  expect(seen).toContain(second.account)
})
