import { expect, test } from 'vitest'
import { runLimitsProof } from './limits/limits-proof.ts'
import { runProposalsProof } from './limits/proposals-proof.ts'

const database = process.env['DATABASE_URL'] ? 'postgres' : 'embedded'
const seed = Date.now() % 1_000_000

test(`killed under operations around their limits, with lost answers, no limit is exceeded and nothing is done twice (seed ${seed})`, async () => {
  const report = await runLimitsProof({ operations: 300, kills: 1, seed, database })
  expect(report.findings).toEqual([])
  expect(report.kills).toBe(1)
  // the limits were reached, and not by nothing
  expect(report.answers['403 spending_limit_exceeded']).toBeGreaterThan(0)
  for (const effect of Object.values(report.effects)) expect(effect.count).toBeGreaterThan(0)
}, 240_000)

test(`killed while people decide on refunds around a threshold, none is done twice or without approval (seed ${seed})`, async () => {
  const report = await runProposalsProof({ operations: 100, kills: 1, seed, database })
  expect(report.findings).toEqual([])
  expect(report.refunds['403 approval_required']).toBeGreaterThan(0)
  expect(report.proposals['executed']).toBeGreaterThan(0)
  for (const effect of Object.values(report.effects)) expect(effect.count).toBeGreaterThan(0)
}, 240_000)
