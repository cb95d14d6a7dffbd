import { Compile } from 'typebox/compile'
import { type Version, versions } from '../../../connectors/emv-3ds/version.ts'
import { type Areq, SimulatedOutcome } from './message.schema.ts'

/** What the card's issuer does. `result`: how a cardholder who is challenged is expected to end; null: as they like. */
export interface Outcome {
  /** The highest version that the card's range speaks. */
  version: Version
  authentication: SimulatedOutcome['authentication']
  result: SimulatedOutcome['result']
}

/** Cards of which the number decides (semantics §7.3). */
export const testCards = {
  frictionless: ['5200000000001203', '4111111111101203', '340000000022003', '3558111111121203', '8171998927611203'],
  challenge: ['5240000000001072', '4111111111181072', '340000000082072', '3558111111121872', '8171998927611872', '4111412911111172'],
  notEnrolled: ['9000100111111111', '9000100111111117'],
} as const satisfies Record<string, readonly string[]>

const usual: Version = '2.2.0'
const simulatedOutcome = Compile(SimulatedOutcome)

/** What becomes of a card, by the message extension that says so, else by its number. Null: its range takes no part. */
export function outcomeOf({ acctNumber, messageExtension = [] }: Pick<Areq, 'acctNumber' | 'messageExtension'>): Outcome | null {
  const told: unknown = messageExtension.find(({ id }) => id === 'railyard-sandbox')?.data
  if (simulatedOutcome.Check(told)) {
    const version = told.version === null ? usual : highestUpTo(told.version)
    return version && { ...told, version }
  }
  const isOneOf = (cards: readonly string[]) => cards.includes(acctNumber)
  if (isOneOf(testCards.notEnrolled)) return null
  return { version: usual, authentication: isOneOf(testCards.challenge) ? 'C' : 'Y', result: null }
}

/** `2.3` speaks 2.2.0, and version 1 nobody speaks any more. */
const highestUpTo = (version: string): Version | null => versions.find((known) => ordinal(known) <= ordinal(version)) ?? null

const ordinal = (version: string): number => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major * 1_000_000 + minor * 1_000 + patch
}
