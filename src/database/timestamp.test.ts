import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timestamp, timestampOrNull } from './timestamp.ts'

test.each([
  ['2024-11-20 16:50:52.609674+00', '2024-11-20T16:50:52.609674+00:00'],
  ['2024-11-20T16:50:52.609674+00:00', '2024-11-20T16:50:52.609674+00:00'],
  ['2024-11-20 16:50:52+00', '2024-11-20T16:50:52.000000+00:00'],
  ['2024-11-20 16:50:52.6+00', '2024-11-20T16:50:52.600000+00:00'],
  ['2024-11-20T16:50:52.609Z', '2024-11-20T16:50:52.609000+00:00'],
  ['1970-01-01 00:00:00+00', '1970-01-01T00:00:00.000000+00:00'],
])('PostgreSQL’s %s is answered as %s', (stored, answered) => expect(timestamp(stored)).toBe(answered))

test('a timestamp keeps its moment to the microsecond', () => {
  const moment = fc.date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moment, fc.nat(999), fc.constantFrom(' ', 'T'), (date, micros, separator) => {
      const written = date.toISOString()
      const digits = `${written.slice(20, 23)}${String(micros).padStart(3, '0')}`
      // PostgreSQL leaves out zeros at the end
      const fraction = digits.replace(/0+$/, '')
      const stored = `${written.slice(0, 10)}${separator}${written.slice(11, 19)}${fraction && `.${fraction}`}+00`
      const answered = timestamp(stored)
      expect(answered).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
      expect(new Date(answered).getTime()).toBe(date.getTime())
      expect(answered.slice(20, 26)).toBe(digits)
    }),
    { seed: 1, numRuns: 1_000 },
  )
})

test('timestamps sort as text in the order of time', () => {
  const stored = [
    '2024-11-20 16:50:52+00',
    '2024-11-20 16:50:52.000001+00',
    '2024-11-20 16:50:52.1+00',
    '2024-11-20 16:50:53+00',
  ]
  expect(stored.map(timestamp).toSorted()).toEqual(stored.map(timestamp))
})

test('null stays null', () => {
  expect(timestampOrNull(null)).toBeNull()
  expect(timestampOrNull('2024-11-20 16:50:52+00')).toBe('2024-11-20T16:50:52.000000+00:00')
})
