import { notificationFaults, requestFaults } from '../../src/sandbox/faults/fault.schema.ts'
import { networkFaults } from './network.ts'
import { recoveryPoints, stopPoints } from './stop-points.ts'

/** The number of times that each required case occurred. */
export interface Coverage {
  counts: Map<string, number>
  hit(name: string, times?: number): void
}

/**
 * Faults that take real time or concern notifications are covered elsewhere (matrix.test.ts,
 * notifications.test.ts); the network takes the place of the first here.
 */
const elsewhere = new Set<string>([...notificationFaults, 'delay', 'timeout', 'timeout_after', 'slow_loris'])

/** The payment services' faults in stories. */
export const storyFaults = requestFaults.filter((kind) => !elsewhere.has(kind))

const requests = [
  'authorize',
  'sale',
  'capture',
  'void',
  'increment',
  'refund',
  'refund-all',
  'forced-refund',
  'renewal',
  'cancel',
  'sync',
  'payout',
  'approval',
  'gift cards',
  'repeat',
]
const notifications = ['genuine', 'duplicate', 'forged', "another merchant's"]

/** The cases that a run of 300 seeds must cover. */
const expected: readonly string[] = [
  ...requests.map((name) => `request: ${name}`),
  ...storyFaults.map((name) => `fault: ${name}`),
  ...networkFaults.map((name) => `network: ${name}`),
  ...stopPoints.flatMap((point) => [`death in a request: ${point}`, `stalled: ${point}`]),
  ...recoveryPoints.flatMap((point) => [`death in recovery: ${point}`, `stalled in recovery: ${point}`]),
  ...notifications.map((name) => `notification: ${name}`),
  'clock: forward',
  'clock: back',
  'late: delivered',
  ...['disputed', 'dispute_reversed', 'settled'].map((event) => `report: ${event}`),
  ...['pay', 'capture', 'renewal', 'cancel', 'sync', 'refund'].map((name) => `beside another: ${name}`),
  ...['recovery', 'sync', 'notification'].map((sender) => `second sender: ${sender}`),
  ...['shared', 'issued', 'activated'].map((what) => `gift card: ${what}`),
  'reader: begins with now',
  'reader: begins with the first event',
  'reader: sent back after a restore',
  'restore: on another server',
  'restore: on the same server',
  "a process's clock: ahead",
  "a process's clock: behind",
]

export function startCoverage(): Coverage {
  const counts = new Map<string, number>(expected.map((name) => [name, 0]))
  return {
    counts,
    hit(name, times = 1) {
      counts.set(name, (counts.get(name) ?? 0) + times)
    },
  }
}

export const neverHit = ({ counts }: Coverage): string[] =>
  [...counts].filter(([, count]) => count === 0).map(([name]) => name)
