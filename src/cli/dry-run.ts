import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readSigner, signToken } from '../accounts/api-keys/private-key.ts'
import type { App } from '../api/app.ts'
import { Compile } from '../base/compile.ts'
import { ApiRefusal, type CallApi, read, send } from '../mcp/call-api.ts'
import { callThroughServer } from '../mcp/call-through-server.ts'
import {
  type Amounts,
  type DryRun,
  DryRunRequest,
  noCopy,
  type PaymentToCopy,
} from '../mcp/dry-run/dry-run.ts'
import { createLog } from '../observability/log.ts'
import { createInstance, privateKeyFile } from '../process/create-instance.ts'
import { openWorld } from '../process/railyard.ts'
import { buildServer } from '../process/server.ts'
import { readSettings } from '../settings.ts'

const request = Compile(DryRunRequest)

/** `railyard dry-run`: reads a request from stdin, and prints what it did in a new sandbox in memory. */
export async function dryRun(): Promise<void> {
  const asked: unknown = JSON.parse(await text(process.stdin))
  if (!request.Check(asked)) throw new Error('stdin has no request of a dry run')
  const dataDir = await mkdtemp(join(tmpdir(), 'railyard-dry-run-'))
  try {
    process.stdout.write(JSON.stringify(await tryOut(asked, dataDir)))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function tryOut(asked: DryRunRequest, dataDir: string): Promise<DryRun> {
  const opened = await openWorld(readSettings({ DATA_DIR: dataDir, CARD_ATTEMPTS_PER_BIN: '0' }), {
    inMemory: true,
    log: createLog('silent'),
  })
  try {
    await createInstance(opened.world)
    const app = await buildServer(opened.world, opened.simulatorUrl)
    try {
      const call = await callerOf(app, dataDir)
      return asked.kind === 'payment-link' ? await tryLink(call, asked.body) : await tryAction(call, asked)
    } finally {
      await app.close()
    }
  } finally {
    await opened.close()
  }
}

async function callerOf(app: App, dataDir: string): Promise<CallApi> {
  const signer = await readSigner(await readFile(privateKeyFile({ dataDir }), 'utf8'))
  const token = await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 300 }, Date.now())
  return callThroughServer(app, { authorization: `Bearer ${token}` })
}

interface Outcome {
  id: string
  status: string
}

const post = <T>(call: CallApi, path: string, body: unknown): Promise<T> =>
  send<T>(call, { method: 'POST', path, ...(body !== undefined && { body }) })

/** The members of a dry run that was simulated. */
function simulated(accepted: boolean, more: Partial<DryRun>): DryRun {
  return { ...noCopy(''), simulated: true, why_not: null, accepted, ...more }
}

function refused(error: unknown, more: Partial<DryRun> = {}): DryRun {
  if (!(error instanceof ApiRefusal)) throw error
  const { code, message, problems } = error
  return simulated(false, { ...more, refusal: { code, message, problems: [...problems] } })
}

async function tryLink(call: CallApi, body: unknown): Promise<DryRun> {
  try {
    const { status } = await post<Outcome>(call, '/payment-links', body)
    return simulated(true, { outcome: status })
  } catch (error) {
    return refused(error)
  }
}

const testCard = {
  method: 'card',
  number: '4111111111111111',
  expiration_date: '12/49',
  security_code: '123',
}

/** Makes the payment again, step by step, and answers its id. */
async function copy(call: CallApi, payment: PaymentToCopy): Promise<string> {
  const { amount, currency, status, captured_amount: captured, refunded_amount: refunded } = payment
  const { id } = await post<Outcome>(call, '/transactions', {
    amount,
    currency,
    intent: 'authorize',
    payment_method: testCard,
  })
  if (captured > 0)
    await post(call, `/transactions/${id}/capture`, {
      amount: captured,
      final: status !== 'authorization_succeeded',
    })
  if (refunded > 0) await post(call, `/transactions/${id}/refunds`, { amount: refunded })
  if (status === 'authorization_voided') await post(call, `/transactions/${id}/void`, undefined)
  return id
}

const members = ['status', 'authorized_amount', 'captured_amount', 'refunded_amount'] as const

async function amountsOf(call: CallApi, id: string): Promise<Amounts> {
  const { status, authorized_amount, captured_amount, refunded_amount } = await read<Amounts>(
    call,
    `/transactions/${id}`,
  )
  return { status, authorized_amount, captured_amount, refunded_amount }
}

type PaymentDryRun = Extract<DryRunRequest, { kind: 'payment' }>

async function tryAction(call: CallApi, { payment, action, body }: PaymentDryRun): Promise<DryRun> {
  const id = await copy(call, payment).catch((error) => {
    if (error instanceof ApiRefusal) return undefined
    throw error
  })
  const before = id === undefined ? undefined : await amountsOf(call, id)
  const other = before && members.find((member) => before[member] !== payment[member])
  if (id === undefined || before === undefined || other !== undefined)
    return noCopy(
      `the sandbox cannot make a payment like this one${other ? `: ${other} would be another` : ''}`,
    )
  try {
    const { status } = await post<Outcome>(call, `/transactions/${id}/${action}`, body)
    return simulated(true, { outcome: status, before, after: await amountsOf(call, id) })
  } catch (error) {
    return refused(error, { before, after: await amountsOf(call, id) })
  }
}
