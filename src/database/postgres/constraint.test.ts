import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { refusedBy } from './constraint.ts'

const refusal = (message: string, more: { code: string; constraint?: string }) =>
  Object.assign(new DatabaseError(message, message.length, 'error'), { constraint: undefined, ...more })

test.each([
  ['of PostgreSQL', refusal('duplicate key', { code: '23505', constraint: 'buyers_pkey' }), 'buyers_pkey'],
  [
    'of a shard',
    refusal('duplicate key', { code: '23505', constraint: 'buyers_pkey_102008' }),
    'buyers_pkey',
  ],
  [
    'that a worker of Citus has told',
    refusal('duplicate key value violates unique constraint "buyers_pkey_102008"', { code: '23505' }),
    'buyers_pkey',
  ],
  [
    'of a check that a worker has told',
    refusal('new row for relation "gift_cards_102011" violates check constraint "not_below_zero"', {
      code: '23514',
    }),
    'not_below_zero',
  ],
  [
    'in another language',
    refusal('doppelter Schlüsselwert verletzt Unique-Constraint »buyers_pkey_102008«', { code: '23505' }),
    'buyers_pkey',
  ],
  ['of none', refusal('relation "buyers" does not exist', { code: '42P01' }), undefined],
  ['of another error', new Error('unique constraint "buyers_pkey"'), undefined],
])('the constraint %s', (_, error, constraint) => {
  expect(refusedBy(error)).toBe(constraint)
})
