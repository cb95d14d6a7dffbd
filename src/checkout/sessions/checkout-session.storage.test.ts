import { describe, expect, test } from 'vitest'
import { fields, HOUR, sessionsOf } from '../../../test/support/domains/checkout-sessions.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { storeSecurityCode } from '../../vault/secrets/security-code.ts'
import { eraseExpiredCardData } from './erase-expired.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()
const { open, read, readForPayment, codeOf, browser, enter } = sessionsOf(railyard, merchant)

describe('what a buyer entered into a checkout session', () => {
  test('is encrypted at rest, the code apart from the card', async () => {
    const id = await open()
    await enter(id, { ...fields, security_code: '8271' })
    for (const table of ['checkout_sessions', 'security_codes']) {
      const [row] = await railyard.world.run<{ row: string }>(
        `select row_to_json(t)::text as row from ${table} t where id = $1`,
        [id],
      )
      const text = row?.row ?? expect.fail(`no row in ${table}`)
      // the code as a value: its four digits alone stand in any long hexadecimal number now and then
      // the code as a whole value: its four digits may occur in any long hexadecimal number
      for (const plain of [fields.number, '8271'])
        expect(text).not.toContain(Buffer.from(plain).toString('hex'))
    }
  })

  test('cannot be moved to another session', async () => {
    const [id, other] = [await open(), await open()]
    await enter(id)
    await enter(other)
    await railyard.world.run(
      `update checkout_sessions t set (key_id, data_key, sealed) = (select key_id, data_key, sealed from checkout_sessions where merchant_account_id = $1 and id = $2) where merchant_account_id = $1 and id = $3`,
      [merchant.account, id, other],
    )
    await expect(readForPayment(other)).rejects.toThrow()
  })

  test('a security code is used once, also by simultaneous requests', async () => {
    const id = await open()
    await enter(id)
    const taken = await Promise.all(Array.from({ length: 5 }, () => codeOf(id)))
    expect(taken.filter((code) => code !== null)).toEqual(['123'])
    expect((await readForPayment(id))?.paymentMethod).toMatchObject({ kind: 'card' })
  })

  test('a security code lives exactly as long as its session', async () => {
    const [short, long] = [await open(), await open()]
    await enter(short)
    await enter(long)
    await merchant.put(`/checkout/sessions/${long}`, { expires_in: 86_400 })
    railyard.clock.advance(2 * HOUR)
    expect([await codeOf(short), await codeOf(long)]).toEqual([null, '123'])
    const past = new Date(railyard.clock.now()).toISOString()
    await storeSecurityCode(railyard.world, merchant.account, long, '321', past)
    expect(await codeOf(long)).toBeNull()
  })

  test('is gone when the session expires: at once for every request, and from the database with the next erasure', async () => {
    const id = await open({ amount: 1_00 })
    await enter(id)
    const living = await open({ expires_in: 86_400 })
    await enter(living)
    railyard.clock.advance(HOUR)
    expect((await read(id)).status).toBe(404)
    expect((await merchant.put(`/checkout/sessions/${id}`, { expires_in: 3_600 })).status).toBe(404)
    expect((await enter(id)).status).toBe(404)
    expect((await browser('GET', `${id}/acquirer`)).status).toBe(404)
    expect(await readForPayment(id)).toBeUndefined()
    await eraseExpiredCardData(railyard.world)
    for (const table of ['checkout_sessions', 'security_codes'])
      expect(await railyard.world.run(`select id from ${table} where id in ($1, $2)`, [id, living])).toEqual([
        { id: living },
      ])
    expect((await merchant.delete(`/checkout/sessions/${id}`)).status).toBe(404)
  })

  test('a session that has expired and is not erased yet cannot be deleted', async () => {
    const id = await open()
    railyard.clock.advance(HOUR)
    expect((await merchant.delete(`/checkout/sessions/${id}`)).status).toBe(404)
  })
})
