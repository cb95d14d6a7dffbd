import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reconciliationId, uuidOfReconciliationId } from './reconciliation-id.ts'

test('the example of the specification is encoded and decoded (semantics §1.1)', () => {
  expect(reconciliationId('8f83187d-a7fb-4e58-aece-b4bdfd622c7c')).toBe('4MnoRekRSTPBpMclaqBdRk')
  expect(uuidOfReconciliationId('4MnoRekRSTPBpMclaqBdRk')).toBe('8f83187d-a7fb-4e58-aece-b4bdfd622c7c')
})

test('every id has one reconciliation id of at most 22 characters, which decodes to the id', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const text = reconciliationId(uuid)
      expect(text).toMatch(/^[0-9A-Za-z]{1,22}$/)
      expect(uuidOfReconciliationId(text)).toBe(uuid)
    }),
  )
})

test('the smallest is not padded, the largest has 22 characters', () => {
  expect(reconciliationId('00000000-0000-0000-0000-000000000000')).toBe('0')
  expect(reconciliationId('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('7n42DGM5Tflk9n8mt7Fhc7')
})

test('a text that is not a reconciliation id decodes to undefined', () => {
  for (const text of ['', '7n42DGM5Tflk9n8mt7Fhc8', 'zzzzzzzzzzzzzzzzzzzzzz', 'a'.repeat(23), 'a-b', 'ä'])
    expect(uuidOfReconciliationId(text)).toBeUndefined()
})
