import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dimensionNames } from '../dimension.ts'
import { type Cell, cellAt, packCodes, packNumbers, unpackCodes, unpackNumbers } from './packed-column.ts'
import { HOUR_MS, newOrChanged, type PackedHour, positionOf, withPayments } from './packed-hour.ts'
import type { PaymentFacts } from './payment-facts.ts'

const cell: fc.Arbitrary<Cell> = fc.oneof(fc.constant(null), fc.string(), fc.array(fc.string()), fc.nat())

test('a packed column gives back its cells, all at once and one by one, for any number of values', () => {
  const values = fc.oneof(
    { arbitrary: fc.array(cell, { minLength: 1, maxLength: 20 }), weight: 4 },
    fc.constantFrom(257, 300).map((count) => Array.from({ length: count }, (_, n) => `v${n}`)),
  )
  fc.assert(
    fc.property(
      values.chain((values) => fc.tuple(fc.constant(values), fc.array(fc.nat(values.length - 1)))),
      ([values, codes]) => {
        const packed = packCodes({ values, codes: Uint32Array.from(codes) })
        const read = unpackCodes(packed)
        expect(Array.from(read.codes, (code) => read.values[code])).toEqual(codes.map((code) => values[code]))
        const at = cellAt(packed)
        expect(codes.map((_, index) => at(index))).toEqual(codes.map((code) => values[code]))
      },
    ),
  )
  const many = Uint32Array.from({ length: 70_000 }, (_, index) => index)
  expect(unpackCodes(packCodes({ values: [...many], codes: many })).codes).toEqual(many)
})

test('packed numbers take as many bytes as the largest needs, and are unpacked unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 2 ** 47 }))), (numbers) => {
      expect([...unpackNumbers(packNumbers(Float64Array.from(numbers)), numbers.length)]).toEqual(numbers)
    }),
  )
  expect(packNumbers(Float64Array.of(0, 0))).toHaveLength(1)
  expect(packNumbers(Float64Array.of(255, 0))).toHaveLength(3)
})

const payment: fc.Arbitrary<PaymentFacts> = fc
  .record({
    number: fc.nat(40),
    within: fc.nat(HOUR_MS - 1),
    counted: fc.nat(15),
    amount: fc.nat(),
    cells: fc.array(fc.oneof(fc.constant(null), fc.constantFrom('a', 'b', 'c')), {
      minLength: dimensionNames.length,
      maxLength: dimensionNames.length,
    }),
  })
  .map(({ number, within, ...facts }) => ({
    ...facts,
    id: number.toString(16).padStart(32, '0'),
    uuid: '',
    created: 5 * HOUR_MS + within,
  }))

test('an hour has the last values of its payments, in the order of their ids, after any changes', async () => {
  const round = fc.uniqueArray(payment, { selector: ({ id }) => id })
  await fc.assert(
    fc.asyncProperty(fc.array(round), async (rounds) => {
      const expected = new Map<string, PaymentFacts>()
      let hour: PackedHour = {}
      for (const changed of rounds) {
        for (const each of changed) expected.set(each.id, each)
        const fresh = newOrChanged(hour, changed)
        if (fresh.length > 0) hour = await withPayments(hour, fresh)
        expect(
          newOrChanged(
            hour,
            changed.map((each) => ({ ...each })),
          ),
        ).toEqual([])
      }
      const all = [...expected.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
      expect(hour.id?.toString('hex') ?? '').toBe(all.map(({ id }) => id).join(''))
      if (!hour.id || !hour.amount || !hour.counted || !hour.method) return
      expect([...unpackNumbers(hour.amount, all.length)]).toEqual(all.map(({ amount }) => amount))
      const [counted, method] = [cellAt(hour.counted), cellAt(hour.method)]
      for (const [index, { id, counted: bits, cells }] of all.entries()) {
        expect(positionOf(hour.id, Buffer.from(id, 'hex'))).toBe(index)
        expect([counted(index), method(index)]).toEqual([bits, cells[dimensionNames.indexOf('method')]])
      }
    }),
  )
})

test('other work of the process gets its turn while a busy hour is packed', async () => {
  const cells = dimensionNames.map(() => null)
  const payments = Array.from({ length: 1_000 }, (_, number) => ({
    id: number.toString(16).padStart(32, '0'),
    uuid: '',
    created: 0,
    counted: 1,
    amount: 1,
    cells,
  }))
  let turns = 0
  const turn = () => {
    turns += 1
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  await withPayments({}, payments)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(dimensionNames.length)
})
