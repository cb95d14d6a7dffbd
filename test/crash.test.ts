import { expect, test } from 'vitest'
import { crash } from './crash/crashes.ts'

const database = process.env['DATABASE_URL'] ? 'postgres' : 'embedded'
const seed = Date.now() % 1_000_000

// each start of an embedded instance costs seconds of processor time
const crashes = database === 'embedded' ? { well: 1, ill: 2 } : { well: 2, ill: 3 }

test.each([
  ['a payment service that behaves', false, crashes.well],
  ['a payment service that loses, garbles and delays answers', true, crashes.ill],
])(
  `killed under load with %s, nothing is lost, done twice or left undecided (seed ${seed})`,
  async (_name, faults, crashes) => {
    const report = await crash({ crashes, database, faults, seed })
    expect(report.findings).toEqual([])
    expect(report.crashes).toBe(crashes)
    expect(report.acknowledged).toBeGreaterThan(0)
  },
  // on Citus a start takes most of a minute
  360_000,
)
