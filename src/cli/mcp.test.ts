import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callerOf } from '../../test/support/domains/mcp.ts'
import { openShop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { insertKeyPair } from '../accounts/api-keys/api-key-pair.store.ts'
import { generateKey } from '../accounts/api-keys/private-key.ts'
import { readTools, tools } from '../mcp/tools/tools.ts'

// processes, which take seconds to start on a busy machine
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const railyard = await startRailyardForFile()
const shop = await openShop(railyard)

/** A private key of the account, in a file and as text. */
async function newKey(): Promise<{ file: string; pem: string }> {
  const { privateKeyPem: pem, thumbprint, publicJwk } = await generateKey('EdDSA')
  await insertKeyPair(railyard.world, {
    displayName: 'Agent',
    algorithm: 'EdDSA',
    thumbprint,
    publicJwk,
    roleIds: ['administrator'],
    merchantAccountIds: [shop.account],
  })
  const folder = mkdtempSync(join(tmpdir(), 'railyard-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'agent.pem')
  writeFileSync(file, pem)
  return { file, pem }
}

/** An official client of `railyard mcp`. */
async function start(args: string[], env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['src/main.js', 'mcp', '--url', railyard.url, ...args],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  await client.connect(transport, { timeout: 120_000 })
  onTestFinished(() => client.close())
  return client
}

const request = () => ({ reason: 'the buyer has complained', request_id: `request-${randomUUID()}` })

test('an agent that was given the file of a key uses every tool over stdin and stdout', async () => {
  const client = await start(['--key', (await newKey()).file])
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
  const callTool = callerOf(client)
  const sold = await shop.sold(50_00)
  const reserved = await shop.authorized(50_00)
  const released = await shop.authorized(50_00)
  const flow = 'card-transaction'
  const calls: Record<string, Record<string, unknown>> = {
    find_payments: { limit: 3 },
    explain_payment: { payment_id: sold.id },
    refund_payment: { payment_id: sold.id, amount: 10_00, ...request() },
    capture_payment: { payment_id: reserved.id, ...request() },
    void_payment: { payment_id: released.id, ...request() },
    create_payment_link: { amount: 12_99, currency: 'EUR', country: 'DE', intent: 'capture', ...request() },
    get_routing_rules: { flow },
    draft_routing_rules: { flow, rules: [], ...request() },
    get_insights: { metric: 'transactions', range: 'P1D/now' },
    check_health: {},
    get_reconciliation: {},
    search_documentation: { query: 'refund' },
    read_document: { path: 'guides/mcp.md' },
  }
  for (const [name, values] of Object.entries(calls))
    expect({ name, ...(await callTool(name, values)) }).toMatchObject({ name, isError: false })
  expect([...Object.keys(calls), 'get_proposal'].toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
  expect((await sold.read()).refunded_amount).toBe(10_00)
  expect((await reserved.read()).captured_amount).toBe(50_00)
  expect((await released.read()).status).toBe('authorization_voided')
})

test('a dry run shows a refund before and after, and gives nothing back', async () => {
  const callTool = callerOf(await start(['--key', (await newKey()).file]))
  const payment = await shop.sold(50_00)
  await payment.refund({ amount: 20_00 })
  const dry = async (amount: number) =>
    (await callTool('refund_payment', { payment_id: payment.id, amount, dry_run: true, ...request() })).body
  expect(await dry(10_00)).toMatchObject({
    state: 'dry_run',
    result: null,
    dry_run: {
      simulated: true,
      accepted: true,
      before: { captured_amount: 50_00, refunded_amount: 20_00 },
      after: { captured_amount: 50_00, refunded_amount: 30_00 },
    },
  })
  expect(await dry(30_01)).toMatchObject({
    dry_run: { simulated: true, accepted: false, refusal: { code: 'bad_request' } },
  })
  expect((await payment.read()).refunded_amount).toBe(20_00)
})

test('every money tool has a dry run, and says what cannot be copied', async () => {
  const callTool = callerOf(await start(['--key', (await newKey()).file]))
  const dry = async (name: string, values: Record<string, unknown>) =>
    (await callTool(name, { ...values, dry_run: true, ...request() })).body
  const reserved = await shop.authorized(50_00)
  expect(await dry('capture_payment', { payment_id: reserved.id, amount: 30_00 })).toMatchObject({
    dry_run: { accepted: true, after: { captured_amount: 30_00 } },
  })
  expect(await dry('void_payment', { payment_id: reserved.id })).toMatchObject({
    dry_run: { accepted: true, after: { status: 'authorization_voided' } },
  })
  expect((await reserved.read()).status).toBe('authorization_succeeded')
  const links = async () => (await shop.get('/payment-links')).body.items.length
  const before = await links()
  const link = { amount: 12_99, currency: 'EUR', country: 'DE', intent: 'capture' }
  expect(await dry('create_payment_link', link)).toMatchObject({
    dry_run: { accepted: true, outcome: 'active' },
  })
  expect(await links()).toBe(before)
  const { body: declined } = await shop.pay(2000_11)
  expect(await dry('refund_payment', { payment_id: declined.id })).toMatchObject({
    dry_run: { simulated: false, why_not: expect.stringContaining('authorization_failed') },
  })
})

test('a key in the environment and --read-only give the reading tools alone', async () => {
  const client = await start(['--read-only'], { RAILYARD_MCP_KEY: (await newKey()).pem })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(readTools.map(({ name }) => name))
  const callTool = callerOf(client)
  expect((await callTool('find_payments')).isError).toBe(false)
  const payment = await shop.sold(10_00)
  expect(
    await callTool('refund_payment', { payment_id: payment.id, ...request() }).catch(() => 'unknown'),
  ).toSatisfy((answer) => answer === 'unknown' || answer.isError)
  expect((await payment.read()).refunded_amount).toBe(0)
})

test('a server that does not answer is told, with what the agent does about it', async () => {
  const { file } = await newKey()
  const client = new Client({ name: 'test', version: '1.0.0' })
  const args = ['src/main.js', 'mcp', '--url', 'http://127.0.0.1:9', '--key', file]
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      env: { PATH: process.env['PATH'] ?? '' },
    }),
    { timeout: 120_000 },
  )
  onTestFinished(() => client.close())
  expect(await callerOf(client)('find_payments')).toMatchObject({
    isError: true,
    body: { error: { code: 'gateway_timeout' }, done: expect.stringContaining('same request_id') },
  })
})
