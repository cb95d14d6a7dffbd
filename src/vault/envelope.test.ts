import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Envelope, openEnvelope, rowContext, sealEnvelope } from './envelope.ts'
import { localKeys } from './keys/local-keys.ts'

const world = { keys: localKeys([randomBytes(32)]) }
const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed())
const ownRow = rowContext('payment_methods', 'berlin', '01')

test('any sealed text opens in its own row', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (plain, id) => {
      const context = rowContext('payment_methods', 'berlin', id)
      expect(await openEnvelope(world, await sealEnvelope(world, plain, context), context)).toBe(plain)
    }),
  )
})

test('an envelope does not open in another row, merchant account or table', async () => {
  const envelope = await sealEnvelope(world, '4111111111111111', ownRow)
  for (const otherRow of [
    rowContext('payment_methods', 'berlin', '02'),
    rowContext('payment_methods', 'paris', '01'),
    rowContext('gift_cards', 'berlin', '01'),
  ])
    await expect(openEnvelope(world, envelope, otherRow)).rejects.toThrow()
  expect(await openEnvelope(world, envelope, ownRow)).toBe('4111111111111111')
})

test('an envelope does not open if its parts come from two envelopes of the same row', async () => {
  const [one, other] = [
    await sealEnvelope(world, '4111111111111111', ownRow),
    await sealEnvelope(world, '4111111111111111', ownRow),
  ]
  await expect(openEnvelope(world, { ...one, sealed: other.sealed }, ownRow)).rejects.toThrow()
  await expect(openEnvelope(world, { ...one, data_key: other.data_key }, ownRow)).rejects.toThrow()
})

test('an envelope with a changed bit or a lost byte does not open', async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom('sealed', 'data_key'),
      fc.nat(),
      fc.nat(7),
      async (plain, part, at, bit) => {
        const envelope = await sealEnvelope(world, plain, ownRow)
        const index = at % envelope[part].length
        const changed = Buffer.from(envelope[part])
        changed.writeUInt8(changed.readUInt8(index) ^ (1 << bit), index)
        await expect(openEnvelope(world, { ...envelope, [part]: changed }, ownRow)).rejects.toThrow()
        await expect(
          openEnvelope(world, { ...envelope, [part]: envelope[part].subarray(0, index) }, ownRow),
        ).rejects.toThrow()
      },
    ),
  )
})

test('an envelope opens with its master key among newer ones, and not without it', async () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const envelope: Envelope = await sealEnvelope({ keys: localKeys([older]) }, 'a secret', ownRow)
  expect(await openEnvelope({ keys: localKeys([newer, older]) }, envelope, ownRow)).toBe('a secret')
  await expect(openEnvelope({ keys: localKeys([newer]) }, envelope, ownRow)).rejects.toThrow(
    `the master key ${envelope.key_id} is not known`,
  )
  await expect(
    openEnvelope(
      { keys: localKeys([newer]) },
      { ...envelope, key_id: await localKeys([newer]).currentKeyId() },
      ownRow,
    ),
  ).rejects.toThrow()
})

test('the same text has another data key and another ciphertext each time, and is readable in neither', async () => {
  const envelopes = await Promise.all(
    Array.from({ length: 100 }, () => sealEnvelope(world, '4111111111111111', ownRow)),
  )
  expect(new Set(envelopes.map(({ sealed }) => sealed.toString('hex'))).size).toBe(100)
  expect(new Set(envelopes.map(({ data_key }) => data_key.toString('hex'))).size).toBe(100)
  for (const { sealed, data_key } of envelopes)
    expect(Buffer.concat([sealed, data_key]).includes('4111')).toBe(false)
})
