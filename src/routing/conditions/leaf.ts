import type { Facts } from '../facts.ts'
import { type Leaf, type LeafOfKind, metadataKey } from './condition.schema.ts'
import { type WallClock, wallClock } from './time-zone.ts'

/** A compiled leaf: whether it holds for a payment, and the payment's value. */
export interface LeafTest {
  holds(facts: Facts): boolean
  actual(facts: Facts): string | number | boolean | null
}

/** An unknown fact makes every operator but `is_null` false. */
export function leafTest(leaf: Leaf): LeafTest {
  switch (leaf.field) {
    case 'amount':
      return amountTest(leaf)
    case 'bin':
      return binTest(leaf)
    case 'merchant_initiated':
    case 'is_subsequent_payment': {
      const { field, value } = leaf
      return { holds: (facts) => facts[field] === value, actual: (facts) => facts[field] }
    }
    case 'time_of_day':
      return hoursTest(leaf)
    case 'weekday':
      return daysTest(leaf)
    case 'created_at':
      return instantTest(leaf)
    case 'currency':
    case 'country':
    case 'scheme':
    case 'card_type':
    case 'issuer_country':
    case 'method':
    case 'payment_source':
    case 'intent':
    case 'buyer_id':
    case 'buyer_external_identifier':
    case 'previous_decline': {
      const { field } = leaf
      return textTest(leaf, (facts) => facts[field])
    }
    default:
      return metadataTest(leaf)
  }
}

type TextOf = (facts: Facts) => string | null

function textTest(leaf: LeafOfKind<'word'> | LeafOfKind<'metadata'>, actual: TextOf): LeafTest {
  switch (leaf.operator) {
    case 'is': {
      const { value } = leaf
      return { holds: (facts) => actual(facts) === value, actual }
    }
    case 'in': {
      const values: ReadonlySet<string | null> = new Set(leaf.value)
      return { holds: (facts) => values.has(actual(facts)), actual }
    }
    case 'contains': {
      const { value } = leaf
      return { holds: (facts) => actual(facts)?.includes(value) ?? false, actual }
    }
    default: {
      const { value } = leaf
      return { holds: (facts) => (actual(facts) === null) === value, actual }
    }
  }
}

/** Keys are the merchant's own: `constructor` is a key like any other. */
function metadataTest(leaf: LeafOfKind<'metadata'>): LeafTest {
  const key = metadataKey(leaf.field) ?? ''
  return textTest(leaf, ({ metadata }) =>
    metadata && Object.hasOwn(metadata, key) ? (metadata[key] ?? null) : null,
  )
}

const comparisons = {
  eq: (actual: number, value: number) => actual === value,
  gt: (actual: number, value: number) => actual > value,
  gte: (actual: number, value: number) => actual >= value,
  lt: (actual: number, value: number) => actual < value,
  lte: (actual: number, value: number) => actual <= value,
}

function amountTest(leaf: LeafOfKind<'amount'>): LeafTest {
  const { currency } = leaf
  const isOfCurrency = (facts: Facts) => currency === undefined || facts.currency === currency
  const actual = (facts: Facts) => facts.amount
  if (leaf.operator === 'between') {
    const { from, to } = leaf.value
    return {
      holds: (facts) =>
        isOfCurrency(facts) && facts.amount !== null && facts.amount >= from && facts.amount <= to,
      actual,
    }
  }
  const { value } = leaf
  const compare = comparisons[leaf.operator]
  return {
    holds: (facts) => isOfCurrency(facts) && facts.amount !== null && compare(facts.amount, value),
    actual,
  }
}

function binTest(leaf: LeafOfKind<'bin'>): LeafTest {
  const actual: TextOf = ({ bin }) => bin
  if (leaf.operator === 'is_null') {
    const { value } = leaf
    return { holds: ({ bin }) => (bin === null) === value, actual }
  }
  if (leaf.operator === 'starts_with') {
    const prefixes = new Set(leaf.value)
    const lengths = [...new Set(leaf.value.map(({ length }) => length))]
    return {
      holds({ bin }) {
        if (bin === null) return false
        for (const length of lengths) if (prefixes.has(bin.slice(0, length))) return true
        return false
      },
      actual,
    }
  }
  const ranges = leaf.value
  // digits of equal length sort like numbers; a longer BIN is in the range of its first digits, and a shorter
  // one is in none
  const isInRange = (bin: string, from: string, to: string) => {
    const first = bin.slice(0, from.length)
    return first.length === from.length && first >= from && first <= to
  }
  return {
    holds: ({ bin }) => bin !== null && ranges.some(({ from, to }) => isInRange(bin, from, to)),
    actual,
  }
}

/** Milliseconds since 1970; NaN if the time cannot be read or is out of range. */
function timeOf(text: string): number {
  const time = Date.parse(text)
  return Math.abs(time) < 1e14 ? time : Number.NaN
}

/** Reads the local time at which the payment was created; null if its time cannot be read. */
function readWallClock(timeZone: string): (facts: Facts) => WallClock | null {
  const clock = wallClock(timeZone)
  return ({ created_at }) => {
    const time = timeOf(created_at)
    return clock && !Number.isNaN(time) ? clock(time) : null
  }
}

const minuteOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
const two = (number: number) => String(number).padStart(2, '0')

/**
 * A range that begins later than it ends includes midnight; one that begins when it ends is the whole day.
 */
function hoursTest({ value }: LeafOfKind<'hours'>): LeafTest {
  const clock = readWallClock(value.time_zone)
  const from = minuteOf(value.from)
  const to = minuteOf(value.to)
  const within =
    from < to
      ? (minute: number) => minute >= from && minute < to
      : (minute: number) => minute >= from || minute < to
  return {
    holds(facts) {
      const now = clock(facts)
      return now !== null && within(now.minute)
    },
    actual(facts) {
      const now = clock(facts)
      return now && `${two(Math.floor(now.minute / 60))}:${two(now.minute % 60)}`
    },
  }
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const

function daysTest({ value }: LeafOfKind<'days'>): LeafTest {
  const clock = readWallClock(value.time_zone)
  const days: ReadonlySet<string | null> = new Set(value.days)
  const actual = (facts: Facts) => {
    const now = clock(facts)
    return now && (weekdays[now.weekday] ?? null)
  }
  return { holds: (facts) => days.has(actual(facts)), actual }
}

function instantTest({ operator, value }: LeafOfKind<'instant'>): LeafTest {
  const bound = timeOf(value)
  const holds =
    operator === 'before'
      ? (facts: Facts) => timeOf(facts.created_at) < bound
      : (facts: Facts) => timeOf(facts.created_at) > bound
  return { holds, actual: ({ created_at }) => created_at }
}
