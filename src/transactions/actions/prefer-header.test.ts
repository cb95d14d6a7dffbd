import { expect, test } from 'vitest'
import { preferredResource } from './prefer-header.ts'

const offered = ['transaction', 'transaction-capture'] as const
const ask = (header: string | string[] | undefined) => preferredResource(header, offered, 'transaction')

test.each([
  [undefined, 'transaction'],
  ['resource=transaction-capture', 'transaction-capture'],
  ['resource=transaction', 'transaction'],
  ['RESOURCE=transaction-capture', 'transaction-capture'],
  ['resource="transaction-capture"', 'transaction-capture'],
  [' resource = transaction-capture ', 'transaction-capture'],
  ['resource=transaction-capture; foo=bar', 'transaction-capture'],
  ['respond-async, resource=transaction-capture', 'transaction-capture'],
  ['wait=10, resource=transaction-void, resource=transaction-capture', 'transaction-capture'],
  ['resource=transaction, resource=transaction-capture', 'transaction'],
  [['wait=10', 'resource=transaction-capture'], 'transaction-capture'],
])('Prefer: %j is answered with the %s', (header, name) => {
  expect(ask(header)).toBe(name)
})

test.each([
  'resource=Transaction-Capture',
  'resource=transaction-void',
  'resource',
  'resource=',
  '',
  ',,;',
  'representation=transaction-capture',
])('Prefer: %j is ignored without an error', (header) => {
  expect(ask(header)).toBe('transaction')
})
