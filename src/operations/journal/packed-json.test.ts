import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dictionaries } from './packed-json.dictionary.ts'
import { packJson, unpackJson } from './packed-json.ts'

test('lists are read as they were packed, one after the other, from a column and from the JSON of a row', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.jsonValue(), { minLength: 1 })), (lists) => {
      const bytes = Buffer.concat(lists.map(packJson))
      const expected = JSON.parse(JSON.stringify(lists.flat()))
      expect(unpackJson(bytes)).toEqual(expected)
      expect(unpackJson(`\\x${bytes.toString('hex')}`)).toEqual(expected)
    }),
  )
  expect(unpackJson(null)).toEqual([])
})

test('a list that was cut off, or packed with an unknown dictionary, is refused', () => {
  const packed = packJson([{ name: 'transaction-api-request' }])
  expect(() => unpackJson(packed.subarray(0, -1))).toThrow()
  expect(() => unpackJson(Buffer.concat([Buffer.of(7), packed.subarray(1)]))).toThrow('no dictionary 7')
})

test('no dictionary that rows are packed with has changed', () => {
  const hashes = Object.entries(dictionaries).map(([number, dictionary]) => [
    number,
    createHash('sha256').update(dictionary).digest('hex'),
  ])
  expect(hashes).toEqual([['209', '3df80b4e282be1f8a2b36f74d5f5e64fcf939625c99225c9ca074a1eb01086f5']])
})
