import { HOUR_MS } from '../../src/insights/columns/packed-hour.ts'
import { type DimensionName, dimensionNames } from '../../src/insights/dimension.ts'
import type { Filter, TallyQuery } from '../../src/insights/tally.ts'
import { DAYS, END, merchantName, services } from './fill.ts'

/** Numbers from 0 up to 1, the same in every run (mulberry32). */
export function repeatable(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The payments' values of every dimension that people filter by. */
const values: Partial<Record<DimensionName, readonly (string | null)[]>> = {
  authorized: ['0', '1'],
  country: ['US', 'DE', 'GB', 'JP', 'FR'],
  error_code: ['insufficient_funds', 'issuer_decline', null],
  instrument_type: ['pan', 'card_token', 'network_token', 'redirect'],
  is_subsequent_payment: ['0', '1'],
  liability_shifted: ['0', '1', null],
  merchant_initiated: ['0', '1'],
  metadata: ['{"channel": "web"}', '{"channel": "app"}', '{"shop": "shop-0"}', '{"shop": "shop-3"}'],
  method: ['card', 'wallet'],
  payment_method_bin: ['41111100', '41111101', '41111130'],
  payment_method_card_issuer_name: ['Bank 0', 'Bank 7'],
  payment_method_card_type: ['credit', 'debit'],
  payment_method_country: ['US', 'FR'],
  payment_method_scheme: ['visa', 'mastercard', null],
  payment_service_id: services,
  payment_source: ['ecommerce', 'recurring'],
  raw_response_code: ['00', '50', '51'],
  rule_id_route_transaction: ['018f0000-0000-7000-9000-000000000000', null],
  three_d_secure_eci: ['05', '02', null],
  three_d_secure_method: ['frictionless', 'challenge'],
}

/** A range from an hour to 90 days, at any time. */
const ranges = [1, 24, 48, 7 * 24, 30 * 24, DAYS * 24].map((hours) => hours * HOUR_MS)

export function randomQuestion(random: () => number): TallyQuery {
  const oneOf = <T>(list: readonly T[]): T => {
    const chosen = list[Math.floor(random() * list.length)]
    if (chosen === undefined) throw new Error('there is nothing to choose from')
    return chosen
  }
  const length = oneOf(ranges)
  const to = Date.parse(END) - Math.floor(random() * (DAYS * 24 * HOUR_MS - length))
  const withVolume = random() < 1 / 3
  const filterable = Object.entries(values)
  const filters = Array.from({ length: Math.floor(random() * 4) }, (): Filter => {
    const [name, choice = []] = oneOf(filterable)
    return { name: nameOf(name), values: [...new Set([oneOf(choice), oneOf(choice)])] }
  })
  const isTotal = random() < 1 / 4
  return {
    account: merchantName(oneOf([0, 0, 0, 1, 2, 3, 4, 5, 6, 7])),
    population: oneOf(['authorization', 'authorization', 'authentication', 'monitoring']),
    span: { from: to - length, to },
    filters: [...filters, ...(withVolume ? [{ name: 'currency', values: ['USD'] } as const] : [])],
    ...(isTotal ? { bucket: length > 48 * HOUR_MS ? 24 * HOUR_MS : HOUR_MS } : { by: oneOf(dimensionNames) }),
    withVolume,
  }
}

const nameOf = (text: string): DimensionName => {
  const name = dimensionNames.find((each) => each === text)
  if (!name) throw new Error(`${text} is no dimension`)
  return name
}

/** A typical question: a month, by payment service. */
export const merchantMonth: TallyQuery = {
  account: merchantName(0),
  population: 'authorization',
  span: { from: Date.parse(END) - 30 * 24 * HOUR_MS, to: Date.parse(END) },
  filters: [],
  by: 'payment_service_id',
  withVolume: false,
}
