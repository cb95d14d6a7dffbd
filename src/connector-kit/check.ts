import type { Scenario } from './scenario.ts'
import { describe, SetupFailed } from './scenario.ts'

/** One check of the suite. `run` answers what is wrong; empty: nothing. It does not throw. */
export interface Check {
  name: string
  run: () => Promise<readonly string[]>
}

/** A check from a function that may fail to set its scene. */
export const check = (name: string, find: () => Promise<readonly string[]> | readonly string[]): Check => ({
  name,
  async run() {
    try {
      return await find()
    } catch (error) {
      if (error instanceof SetupFailed) return [`it cannot begin: ${error.message}`]
      return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
    }
  },
})

/**
 * Compares every operation of a scenario with the provider's books: decided, at most one effect for each key,
 * approved if and only if there is the effect, and nothing under a key that is not Railyard's.
 */
export function findDifferences({ operations, harness }: Scenario): string[] {
  const effects = harness.provider.effects()
  const differences = operations.flatMap(({ operation: { id, kind, amount, currency }, outcome }) => {
    const underKey = effects.filter(({ key }) => key === id)
    const own = underKey.filter((effect) => effect.kind !== 'cancel' || kind === 'cancel')
    const isClosed = own.length < underKey.length
    if (kind === 'approval') return own.length > 0 ? ['the approval moved money'] : []
    const approved = outcome?.status === 'approved'
    const [effect] = own
    return [
      ...(!outcome || outcome.status === 'unknown' || outcome.status === 'pending'
        ? [`the ${kind} is still ${describe(outcome)}`]
        : []),
      ...(own.length > 1 ? [`the ${kind} took effect ${own.length} times`] : []),
      // nothing moves for an amount of zero
      ...(approved && own.length === 0 && amount > 0 && !(kind === 'cancel' && nothingIsLeft(operations))
        ? [`the ${kind} is approved, and the books have no effect of it`]
        : []),
      ...(!approved && own.length > 0 && !isClosed
        ? [`the ${kind} is ${describe(outcome)}, and it took effect`]
        : []),
      ...(approved && isClosed ? [`the ${kind} is approved, and the connector closed it`] : []),
      ...(approved && isOfMoney(kind) && outcome.amount !== amount
        ? [`the ${kind} of ${amount} is approved with ${outcome.amount}`]
        : []),
      ...(effect && isOfMoney(kind) && (effect.amount !== amount || effect.currency !== currency)
        ? [`the ${kind} of ${amount} ${currency} moved ${effect.amount} ${effect.currency}`]
        : []),
    ]
  })
  const known = new Set(operations.map(({ operation }) => operation.id))
  const strange = effects.filter(({ key }) => !known.has(key))
  return [
    ...harness.problems,
    ...differences,
    ...strange.map(({ kind, key }) => `the books have a ${kind} under the key ${key}, which is no operation`),
  ]
}

/** What was cancelled has taken no money: a provider may have nothing to book for that. */
const nothingIsLeft = (operations: Scenario['operations']): boolean =>
  operations.every(({ operation: { kind }, outcome }) => kind === 'cancel' || outcome?.status !== 'approved')

/** A void or a cancel releases what there is, whatever amount was named. */
const isOfMoney = (kind: string): boolean => kind !== 'void' && kind !== 'cancel'
