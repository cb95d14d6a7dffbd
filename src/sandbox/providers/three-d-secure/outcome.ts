import { Compile } from '../../../base/compile.ts'
import { type Version, versions } from '../../../connectors/emv-3ds/version.ts'
import { type Areq, SimulatedOutcome } from './message.schema.ts'

/** The issuer's behaviour. `result`: the result of a challenge; null: as the cardholder decides. */
export interface Outcome {
  /** The highest version that the card's range supports. */
  version: Version
  authentication: SimulatedOutcome['authentication']
  result: SimulatedOutcome['result']
}

/** Cards whose number decides (semantics §7.3). */
export const testCards = {
  frictionless: [
    '5200000000001203',
    '4111111111101203',
    '340000000022003',
    '3558111111121203',
    '8171998927611203',
  ],
  challenge: [
    '5240000000001072',
    '4111111111181072',
    '340000000082072',
    '3558111111121872',
    '8171998927611872',
    '4111412911111172',
  ],
  notEnrolled: ['9000100111111111', '9000100111111117'],
} as const satisfies Record<string, readonly string[]>

const usual: Version = '2.2.0'
const simulatedOutcome = Compile(SimulatedOutcome)

/**
 * The outcome of a card: from the message extension, else by its number. Null: its range does not take part.
 */
export function outcomeOf({
  acctNumber,
  messageExtension = [],
}: Pick<Areq, 'acctNumber' | 'messageExtension'>): Outcome | null {
  const simulated: unknown = messageExtension.find(({ id }) => id === 'railyard-sandbox')?.data
  if (simulatedOutcome.Check(simulated)) {
    const version = simulated.version === null ? usual : highestUpTo(simulated.version)
    return version && { ...simulated, version }
  }
  const isOneOf = (cards: readonly string[]) => cards.includes(acctNumber)
  if (isOneOf(testCards.notEnrolled)) return null
  return { version: usual, authentication: isOneOf(testCards.challenge) ? 'C' : 'Y', result: null }
}

/** The highest supported version up to this one: `2.3` gives 2.2.0, and version 1 none. */
const highestUpTo = (version: string): Version | null =>
  versions.find((each) => ordinal(each) <= ordinal(version)) ?? null

const ordinal = (version: string): number => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major * 1_000_000 + minor * 1_000 + patch
}
