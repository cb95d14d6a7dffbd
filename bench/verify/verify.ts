import pino from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import { sealChain } from '../../src/database/logs/seal-chain.ts'
import { verifyChain } from '../../src/database/logs/verify-chain.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import type { Statements } from '../../src/database/statements.ts'
import { journalChain } from '../../src/operations/journal/journal-chain.ts'
import { readSettings } from '../../src/settings.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { verify } from '../../src/verify/verify.ts'
import { startInstance } from '../instance.ts'
import { pay } from '../pay/payment.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { copyPayment } from './copy.ts'

const sizes = `
select (select count(*) from operations)::float8 as operations,
       (select count(*) from events)::float8 as events,
       pg_relation_size('operations_in_order')::float8 as index,
       (select avg(pg_column_size(s)) from journal_seals s)::float8 as link`

/**
 * How long sealing takes that many payments, what it leaves, and how long verification takes. The payments
 * are copies of one that was made.
 */
export async function measureVerify(payments: number): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance('postgres')
  const { id } = await pay(instance)
  await instance.server.stop()
  const settings = readSettings(instance.place.env)
  const { db, run, close } = await openDatabase(settings, { withoutTimeout: true })
  const { cipher, masterKeys } = await openVault(db, settings)
  try {
    await waitUntilReadable({ run })
    const world = { run, cipher, clock: systemClock, log: pino({ level: 'silent' }) }
    await sealChain(world, journalChain)
    await copyPayment(run, id, payments)
    await waitUntilReadable({ run })
    const sealing = await timed(() => sealChain(world, journalChain))
    const rechecking = await timed(() => verifyChain(run, cipher, journalChain))
    const comparing = await timed(() => verify(run))
    const size = await sizesOf(run)
    const rows = rechecking.value.sealed
    const each = (seconds: number) => number((seconds * 1_000_000) / payments)
    console.log(
      `\n### The chain of the journal, over ${payments.toLocaleString('en-US')} payments of an operation and an event each\n`,
    )
    console.log(
      table(
        ['', 'seconds', 'µs a payment', 'rows a second'],
        [
          [
            `seal (${sealing.value} links)`,
            number(sealing.seconds),
            each(sealing.seconds),
            number(rows / sealing.seconds),
          ],
          [
            'compute the chain again',
            number(rechecking.seconds),
            each(rechecking.seconds),
            number(rows / rechecking.seconds),
          ],
          [
            'compare every row',
            number(comparing.seconds),
            each(comparing.seconds),
            number(
              (comparing.value.transactions + comparing.value.operations + size.events) / comparing.seconds,
            ),
          ],
        ],
      ),
    )
    const wrong = [
      ...rechecking.value.findings.map(({ problem }) => problem),
      ...comparing.value.findings.map(({ problem }) => problem),
    ]
    return {
      goals: [
        {
          name: 'sealing, for a payment',
          figure: exactly((sealing.seconds * 1_000_000) / payments),
          unit: 'µs',
          better: 'lower',
        },
        {
          name: 'index of the journal, for an operation',
          figure: exactly(size.index / size.operations),
          unit: 'B',
          better: 'lower',
        },
        { name: 'a link', figure: exactly(size.link), unit: 'B', better: 'lower' },
        {
          name: 'rows that the chain is computed of again',
          figure: exactly(rows / rechecking.seconds),
          unit: '/s',
          better: 'higher',
        },
        {
          name: 'payments compared',
          figure: exactly(payments / comparing.seconds),
          unit: '/s',
          better: 'higher',
        },
      ],
      problems: [...new Set(wrong)].map((problem) => `verify: ${problem}`),
    }
  } finally {
    masterKeys.close()
    await close()
    await instance.close()
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number }> {
  const began = performance.now()
  const value = await work()
  return { value, seconds: (performance.now() - began) / 1_000 }
}

async function sizesOf(run: Statements) {
  const [row] = await run<Record<'operations' | 'events' | 'index' | 'link', number>>(sizes, [])
  if (!row) throw new Error('the database said nothing of its tables')
  return row
}
