import { parseArgs } from 'node:util'

export type Part = 'pay' | 'vault' | 'lists' | 'rules' | 'replay' | 'start' | 'health' | 'webhooks' | 'reconcile' | 'breaks' | 'insights'
export type Engine = 'embedded' | 'postgres'

export interface Options {
  parts: Part[]
  engines: Engine[]
  /** How long each contender is measured in each round. */
  seconds: number
  rounds: number
  /** Of the settlement file. */
  lines: number
  /** How many payments `insights` has. */
  transactions: number
}

const parts = ['pay', 'vault', 'lists', 'rules', 'replay', 'start', 'health', 'webhooks', 'reconcile', 'breaks', 'insights'] as const
const engines = { embedded: ['embedded'], postgres: ['postgres'], both: ['embedded', 'postgres'] } as const satisfies Record<
  string,
  readonly Engine[]
>

const isEngines = (word: string): word is keyof typeof engines => Object.hasOwn(engines, word)

/** Reads the command line; throws a TypeError that says what it takes. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      database: { type: 'string', default: 'both' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      transactions: { type: 'string', default: '1000000' },
      lines: { type: 'string', default: '1000000' },
    },
  })
  const { only, database } = values
  const wanted = parts.filter((part) => only === undefined || only === part)
  if (wanted.length === 0) throw new TypeError(`--only takes one of ${parts.join(', ')}`)
  if (!isEngines(database)) throw new TypeError(`--database takes one of ${Object.keys(engines).join(', ')}`)
  return {
    parts: wanted,
    engines: [...engines[database]],
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    transactions: positive('transactions', values.transactions),
    lines: positive('lines', values.lines),
  }
}

function positive(name: string, text: string): number {
  const number = Number(text)
  if (Number.isFinite(number) && number > 0) return number
  throw new TypeError(`--${name} takes a number above 0`)
}
