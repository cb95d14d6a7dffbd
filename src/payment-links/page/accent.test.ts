import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readColor } from '../css-colors.ts'
import { accentOf, contrast } from './accent.ts'

const colours = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255))
const rgb = (text: string) => readColor(text) ?? expect.fail(`${text} is no colour`)

test('text in any merchant’s colour, or on it, has enough contrast', () => {
  fc.assert(
    fc.property(colours, (colour) => {
      const { fill, onFill, onLight, onDark } = accentOf(colour)
      expect(rgb(fill)).toEqual(colour)
      expect(contrast(rgb(fill), rgb(onFill))).toBeGreaterThanOrEqual(4.5)
      expect(contrast(rgb(onLight), rgb('#f5f6f8'))).toBeGreaterThanOrEqual(4.5)
      expect(contrast(rgb(onDark), rgb('#1b1e24'))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('a colour with enough contrast stays as it is', () => {
  expect(accentOf([47, 111, 79])).toMatchObject({ fill: '#2f6f4f', onFill: '#ffffff', onLight: '#2f6f4f' })
})

test.each([
  ['#b30', [187, 51, 0]],
  ['#BB3300', [187, 51, 0]],
  ['#b308', [187, 51, 0]],
  ['#bb330080', [187, 51, 0]],
  ['RebeccaPurple', [102, 51, 153]],
  ['aliceblue', [240, 248, 255]],
  ['yellowgreen', [154, 205, 50]],
])('%s is read as a colour', (text, colour) => expect(readColor(text)).toEqual(colour))

test.each(['', '#', '#12', '#12345', 'rgb(1,2,3)', 'reddish', '#12g', 'red;', '__proto__'])(
  '%s is no colour',
  (text) => expect(readColor(text)).toBeUndefined(),
)
