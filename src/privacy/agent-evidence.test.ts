import { expect, test } from 'vitest'
import { searchDatabase } from '../../test/support/search-database.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()

test('mandates and signatures of agents’ protocols are kept with the payment as they came, and erased with it', async () => {
  const content = '{"mandate":"<script>alert(1)</script> Jane Roe-Agentson"}'
  const agent_evidence = [
    { protocol: 'ap2', kind: 'cart-mandate', content },
    { protocol: 'visa-tap', kind: 'signature', content: 'sig1=:MEUCIQ==:' },
  ]
  const payment = await shop.sold(10_00, { agent_evidence })
  expect((await payment.read()).agent_evidence).toEqual(agent_evidence)
  expect((await shop.post(`/transactions/${payment.id}/erase`)).status).toBe(202)
  await railyard.erasing.runOnce()
  expect((await payment.read()).agent_evidence).toBeNull()
  expect(await searchDatabase(railyard.world, ['Roe-Agentson'])).toEqual([])
})

test('agent evidence is bounded: ten entries of 8192 characters', async () => {
  const entry = { protocol: 'ap2', kind: 'cart-mandate', content: 'x' }
  expect((await shop.pay(1_00, { agent_evidence: Array(11).fill(entry) })).status).toBe(422)
  expect((await shop.pay(1_00, { agent_evidence: [{ ...entry, content: 'x'.repeat(8_193) }] })).status).toBe(
    422,
  )
  expect((await shop.pay(1_00, { agent_evidence: Array(10).fill(entry) })).status).toBe(201)
})
