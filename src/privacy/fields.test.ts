import { expect, test } from 'vitest'
import { neverPersonal, notPersonal } from '../../test/support/checks/not-personal.ts'
import type { ApiDocument } from '../../test/support/checks/schema-values.ts'
import { undecidedFields } from '../../test/support/checks/undecided-fields.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { eventNames } from '../events/event-name.ts'
import { specialMasks } from './masks.ts'

const railyard = await startRailyardForFile()
const document: ApiDocument = (await railyard.send('GET', '/openapi.json')).body

const reviewed = new Map(
  Object.entries(notPersonal).map(([owner, members]) => [owner, new Set(members.split(' '))]),
)
const isDecided = (owner: string, member: string) =>
  neverPersonal.has(member) || reviewed.get(owner)?.has(member) === true

test('every field of the API that holds text is marked as personal in its schema, or was decided not to be', () => {
  expect(undecidedFields(document, isDecided)).toEqual([])
})

test('every field that was decided not to be personal is still there', () => {
  const open = new Set(
    undecidedFields(
      document,
      (owner, member) =>
        neverPersonal.has(member) || (/^PayoutMerchant(Summary)?$/.test(owner) && member === 'address'),
    ),
  )
  const gone = [...reviewed]
    .flatMap(([owner, members]) => [...members].map((member) => `${owner}.${member}`))
    .filter((field) => !open.has(field))
  expect(gone).toEqual(['PayoutMerchant.address', 'PayoutMerchantSummary.address'])
})

test('the API document says which members are shown to callers with the scope alone, and which an erasure takes out', () => {
  const { Transaction, Airline, Buyer } = document.components.schemas
  const markOf = (shape: typeof Buyer, member: string) => shape?.properties?.[member]?.['x-personal']
  expect(
    ['shipping_details', 'recipient', 'metadata', 'amount'].map((member) => markOf(Transaction, member)),
  ).toEqual(['restricted', 'restricted', 'erasable', undefined])
  expect(markOf(Airline, 'passengers')).toBe('restricted')
  expect(['billing_details', 'external_identifier', 'id'].map((member) => markOf(Buyer, member))).toEqual([
    'restricted',
    'erasable',
    undefined,
  ])
})

test('an event about a resource of a type that is not known shows its type and id alone', () => {
  const mask = specialMasks(['restricted']).EventTarget
  const id = '018f0000-0000-7000-8000-000000000000'
  expect(mask({ type: 'news', id, name: 'Ada' })).toEqual({ type: 'news', id })
})

test('the resource of every event has a schema that says what of it is personal', () => {
  const mask = specialMasks(['restricted']).EventTarget
  const types = [...new Set(eventNames.map((name) => name.slice(0, name.lastIndexOf('.'))))].map((type) =>
    type === 'payment-service' ? 'payment-service-health' : type,
  )
  expect(
    types.filter((type) => !JSON.stringify(mask({ type, id: '', shown: 'yes' })).includes('yes')),
  ).toEqual([])
})
