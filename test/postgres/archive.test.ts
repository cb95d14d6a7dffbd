import { expect, test } from 'vitest'
import { killArchiving } from '../archive/kills.ts'

test('of processes that are killed while they write files, every payment is once in tables or files', async () => {
  const { findings, figures } = await killArchiving({ kills: 4, seed: 3, payments: 10 })
  expect(findings).toEqual([])
  expect(figures).toMatchObject({ kills: 4 })
}, 240_000)
