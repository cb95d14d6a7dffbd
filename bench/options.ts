import { parseArgs } from 'node:util'

export type Engine = 'embedded' | 'postgres'
export type Part = (typeof parts)[number] | (typeof byName)[number]

export interface Options {
  parts: Part[]
  engines: Engine[]
  /** The duration of each contender's measurement in each round. */
  seconds: number
  rounds: number
  /** Of the settlement file. */
  lines: number
  /** The number of payments for `archive`, `cut`, `home`, `insights`, `lists`, `replicas`, `retire` and `verify`. */
  transactions: number
  /** Of the soak. */
  minutes: number
  /** Whether `pay` installs Medusa and measures it, too, on PostgreSQL. */
  medusa: boolean
  /** Whether `pay` installs Vendure and measures it, too, on PostgreSQL. */
  vendure: boolean
}

const parts = [
  'pay',
  'vault',
  'lists',
  'rules',
  'replay',
  'start',
  'memory',
  'latency',
  'overload',
  'hotspot',
  'scale',
  'cost',
  'install',
  'health',
  'webhooks',
  'reconcile',
  'insights',
] as const
/** Benchmarks that are too long for the full run. */
const byName = [
  'breaks',
  'soak',
  'verify',
  'home',
  'partitions',
  'cut',
  'retire',
  'replicas',
  'nodes',
  'archive',
  'newcomer',
] as const
const engines = {
  embedded: ['embedded'],
  postgres: ['postgres'],
  both: ['embedded', 'postgres'],
} as const satisfies Record<string, readonly Engine[]>

const isEngines = (word: string): word is keyof typeof engines => Object.hasOwn(engines, word)

/** Reads the command line; throws a TypeError with the usage. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      database: { type: 'string', default: 'both' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      transactions: { type: 'string', default: '1000000' },
      minutes: { type: 'string', default: '8' },
      lines: { type: 'string', default: '1000000' },
      medusa: { type: 'boolean', default: false },
      vendure: { type: 'boolean', default: false },
    },
  })
  const { only, database } = values
  const wanted: Part[] =
    only === undefined ? [...parts] : [...parts, ...byName].filter((part) => only === part)
  if (wanted.length === 0) throw new TypeError(`--only takes one of ${[...parts, ...byName].join(', ')}`)
  if (!isEngines(database)) throw new TypeError(`--database takes one of ${Object.keys(engines).join(', ')}`)
  return {
    parts: wanted,
    engines: [...engines[database]],
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    transactions: positive('transactions', values.transactions),
    lines: positive('lines', values.lines),
    minutes: positive('minutes', values.minutes),
    medusa: values.medusa,
    vendure: values.vendure,
  }
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (Number.isFinite(number) && number > 0) return number
  throw new TypeError(`--${name} takes a number above 0`)
}
