import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayText, withoutCardNumbers } from './mask-report-text.ts'

const line = (payment: string) =>
  ({ id: null, payment, refund: null }) as unknown as Parameters<typeof withoutCardNumbers>[0]

test('masking leaves a payment service’s ids as they are, even if they contain groups of digits', () => {
  for (const id of ['pay_01a204f2-6159-7191-8145-3060bf72a260', '01A204F3-6264-7543-9428-712242BFD881'])
    expect(withoutCardNumbers(line(id)).payment).toBe(id)
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      expect(withoutCardNumbers(line(`pay_${id}`)).payment).toBe(`pay_${id}`)
    }),
  )
})

test('card numbers are masked, in one piece or in groups, also beside an id', () => {
  expect(displayText('4111111111111111,01a204f2-6159-7191-8145-3060bf72a260,4111 1111 1111 1111')).toBe(
    '411111******1111,01a204f2-6159-7191-8145-3060bf72a260,411111******1111',
  )
  expect(withoutCardNumbers(line('5555-5555-5555-4444')).payment).toBe('555555******4444')
})
