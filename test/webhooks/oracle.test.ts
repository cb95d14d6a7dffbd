import { expect, test } from 'vitest'
import type { Arrival } from './arrival.ts'
import { compare, type FeedEvent, feedFindings } from './oracle.ts'

const feedEvent = (target: string, sequence: number): FeedEvent => ({
  id: `${target}${sequence}`,
  sequence,
  target: { id: target },
})
const feed = [feedEvent('a', 1), feedEvent('b', 1), feedEvent('a', 2), feedEvent('b', 2), feedEvent('a', 3)]
const arrival = (target: string, sequence: number, more: Partial<Arrival> = {}): Arrival => ({
  id: `${target}${sequence}`,
  target,
  sequence,
  hash: `${target}${sequence}`,
  signed: true,
  answered: 200,
  ...more,
})
const whole = feed.map(({ target, sequence }) => arrival(target.id, sequence))
const findingsOf = (arrivals: Arrival[]) => compare(feed, arrivals).findings

test('deliveries in the order of each resource have no findings, whatever the order of resources, failures and duplicates', () => {
  const { figures, findings } = compare(feed, [
    arrival('b', 1, { answered: 500 }),
    arrival('a', 1),
    arrival('a', 2, { answered: null }),
    arrival('b', 1),
    arrival('b', 2),
    arrival('b', 2),
    arrival('a', 2),
    arrival('a', 1),
    arrival('a', 3),
  ])
  expect(findings).toEqual([])
  expect(figures).toEqual({ arrivals: 9, accepted: 5, duplicates: 2, inVain: 2 })
})

test.each([
  ['one that never came', whole.slice(0, 4), 'event a3 (a 3) never came'],
  [
    'one that came and was not taken',
    [...whole.slice(0, 4), arrival('a', 3, { answered: 500 })],
    'event a3 (a 3) never came',
  ],
  [
    'a wrong order',
    whole.toSpliced(2, 0, arrival('a', 3)),
    'event a3 (a 3) came before the one before it was taken',
  ],
  ['one that is not in the feed', [...whole, arrival('c', 1)], 'event c1 (c 1) is not in the feed'],
  [
    'a duplicate under another id',
    [...whole, arrival('a', 1, { id: 'a1 again' })],
    'event a1 again (a 1) is not in the feed',
  ],
  ['a wrong number', [...whole, arrival('a', 1, { sequence: 7 })], 'event a1 (a 7) is a 1 in the feed'],
  ['other bytes', [...whole, arrival('a', 1, { hash: 'other' })], 'event a1 (a 1) came in different words'],
  ['a wrong signature', whole.with(0, arrival('a', 1, { signed: false })), 'event a1 (a 1) is not signed'],
])('the oracle notices %s', (_name, arrivals, finding) => {
  expect(findingsOf(arrivals)).toEqual([finding])
})

test('the oracle finds gaps and duplicates in the feed', () => {
  expect(feedFindings(feed)).toEqual([])
  expect(feedFindings([...feed, feedEvent('a', 5)])).toEqual(['a 5 follows 3 in the feed'])
  expect(feedFindings([...feed, feedEvent('a', 3)])).toEqual([
    'event a3 is in the feed twice',
    'a 3 follows 3 in the feed',
  ])
})
