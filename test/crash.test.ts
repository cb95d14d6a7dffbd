import { expect, test } from 'vitest'
import { crash } from './crash/crashes.ts'

const database = process.env['DATABASE_URL'] ? 'postgres' : 'embedded'
const seed = Date.now() % 1_000_000

test.each([
  ['a payment service that behaves', false],
  ['a payment service that loses, garbles and delays answers', true],
])(
  `killed under load with %s, nothing is lost, done twice or left undecided (seed ${seed})`,
  async (_name, faults) => {
    const report = await crash({ crashes: faults ? 3 : 2, database, faults, seed })
    expect(report.findings).toEqual([])
    expect(report.crashes).toBe(faults ? 3 : 2)
    expect(report.acknowledged).toBeGreaterThan(0)
  },
  120_000,
)
