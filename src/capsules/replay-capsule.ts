import { readFile } from 'node:fs/promises'
import { readSigner, signToken } from '../accounts/api-keys/private-key.ts'
import { insertMerchantAccount } from '../accounts/merchant-accounts/merchant-account.store.ts'
import type { App } from '../api/app.ts'
import { recoverOperationOrReview } from '../background/recover-operation.ts'
import { createLog } from '../observability/log.ts'
import { recoverOpenOperations } from '../operations/recovery.ts'
import { createInstance, privateKeyFile } from '../process/create-instance.ts'
import { openWorld } from '../process/railyard.ts'
import { buildServer } from '../process/server.ts'
import { readSettings } from '../settings.ts'
import { challengeUrl, returnUrl } from '../transactions/approval/approval-links.ts'
import { readTransaction } from '../transactions/transaction.store.ts'
import type { World } from '../world.ts'
import type { Capsule } from './capsule.schema.ts'
import { readCapsuleRows } from './capsule.store.ts'
import { firstDifference } from './compare.ts'
import { InvalidCapsule } from './read-capsule.ts'
import { type RecordedAnswers, recordedAnswers } from './recorded-answers.ts'
import { replayRequests, type Send, setUp } from './replay-requests.ts'

/** What a replay found; a difference is in words. */
export type ReplayResult = { same: true; steps: number } | { same: false; difference: string }

/** The operations that a replay makes again. */
const replayed = [
  ...['screening', 'authentication', 'approval', 'redeem', 'reverse'],
  ...['authorize', 'sale', 'capture', 'void', 'cancel', 'increment', 'refund'],
]

/** The capsule's account in the replay. */
const ACCOUNT = 'capsule'
/** No host has this name (RFC 6761 §6.4). */
const NOWHERE = 'http://capsule.invalid'

/**
 * Makes the payment of a capsule again: in a new sandbox in memory, in `dataDir`, at the capsule's time, with the
 * recorded answers of its payment services. It reaches no network, and listens nowhere. Throws `InvalidCapsule`
 * if it is a payment that a replay cannot make.
 */
export async function replayCapsule(capsule: Capsule, dataDir: string): Promise<ReplayResult> {
  refuseOthers(capsule)
  let now = Date.parse(capsule.created_at)
  const moveTo = (time: number) => {
    now = Math.max(now, time)
  }
  const settings = { ...readSettings({}), dataDir, sandboxUrl: NOWHERE, publicUrl: NOWHERE }
  const opened = await openWorld(settings, {
    inMemory: true,
    clock: { now: () => now },
    log: createLog('silent'),
  })
  try {
    const answers = recordedAnswers(capsule.operations, {
      moveTo,
      operationIds: () => operationIds(opened.world),
    })
    const world = Object.assign(opened.world, { http: answers, merchantHttp: noReceivers })
    await createInstance(world)
    await insertMerchantAccount(world, { id: ACCOUNT, display_name: 'Capsule' })
    const app = await buildServer(world, undefined)
    try {
      const send = await sender(app, world, dataDir)
      const returnBuyer = async (payment: string) => {
        const { approval } = await readTransaction(world, ACCOUNT, payment)
        if (!approval) return
        const url =
          approval.asks === 'issuer'
            ? challengeUrl(world, ACCOUNT, payment, 'authenticated')
            : returnUrl(world, ACCOUNT, payment, 'approved')
        await app.inject({ method: 'GET', url: new URL(url).pathname })
      }
      return await play(world, capsule, { answers, moveTo, send, returnBuyer })
    } finally {
      await app.close()
    }
  } finally {
    await opened.close()
  }
}

function refuseOthers({ operations, payment }: Capsule): void {
  const other = operations.find(({ kind }) => !replayed.includes(kind))
  if (other)
    throw new InvalidCapsule(
      `a payment with an operation of the kind ${JSON.stringify(other.kind)} is not replayed`,
    )
  const hasBuyer = operations[0]?.kind === 'approval'
  const isGiftCardsOnly = payment.method === 'gift-card' && payment.gift_cards !== undefined
  if (payment.method !== 'card' && !hasBuyer && !isGiftCardsOnly)
    throw new InvalidCapsule(`a payment with the method ${JSON.stringify(payment.method)} is not replayed`)
}

const noReceivers: World['merchantHttp'] = {
  request: async () => {
    throw new Error('a replay sends nothing')
  },
  close: async () => undefined,
}

/** A request of the merchant was answered with a 4xx or 5xx. */
class Refused extends Error {}

async function sender(app: App, { machineClock, settings }: World, dataDir: string): Promise<Send> {
  const signer = await readSigner(await readFile(privateKeyFile({ ...settings, dataDir }), 'utf8'))
  return async (method, path, body) => {
    const claims = { scopes: ['*.read', '*.write'], expiresIn: 60 }
    const token = await signToken(signer, claims, machineClock.now())
    const answer = await app.inject({
      method,
      url: path,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-svc-merchant-account-id': ACCOUNT,
      },
      payload: JSON.stringify(body),
    })
    if (answer.statusCode < 300) return answer.json()
    throw new Refused(`${method} ${path} was answered ${answer.statusCode}: ${answer.body}`)
  }
}

const secretFieldsOf = (world: World) => (definition: string) =>
  (world.connectors.get(definition)?.definition.fields ?? []).flatMap(({ key, secret }) =>
    secret ? [key] : [],
  )

interface Playing {
  answers: RecordedAnswers
  moveTo(time: number): void
  send: Send
  /** Comes back from the page of the payment service or the card's issuer, as the buyer did. */
  returnBuyer(payment: string): Promise<void>
}

async function play(world: World, capsule: Capsule, playing: Playing): Promise<ReplayResult> {
  const { answers, moveTo, send, returnBuyer } = playing
  const names = await setUp(send, secretFieldsOf(world), capsule).catch((error) => {
    throw error instanceof Refused
      ? new InvalidCapsule(`its configuration is refused: ${error.message}`)
      : error
  })
  let payment: string | undefined
  /** Looks up what is open, as recovery, a notification or a sync did, until the time of the next request. */
  const lookUpUntil = async (end: number) => {
    for (let next = answers.next(); next && Date.parse(next.started_at) < end; next = answers.next()) {
      const before = answers.played()
      moveTo(Date.parse(next.started_at))
      await recoverOpenOperations(world, recoverOperationOrReview(world))
      if (answers.played() === before && payment !== undefined) await returnBuyer(payment)
      if (answers.played() === before) return
    }
  }
  let refusal: string | undefined
  for (const request of replayRequests(capsule, names)) {
    await lookUpUntil(request.at)
    moveTo(request.at)
    try {
      const answer = await send('POST', request.path(payment ?? ''), request.body)
      payment ??= String(answer['id'])
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      refusal = error.message
      break
    }
  }
  await lookUpUntil(Number.POSITIVE_INFINITY)
  if (payment === undefined) return { same: false, difference: refusal ?? 'no payment was made' }
  const rows = await readCapsuleRows(world, ACCOUNT, payment)
  const first = answers.difference() ?? (rows && firstDifference(capsule, rows, names, answers.next()))
  // what was refused may only follow from an earlier difference
  const difference =
    first !== undefined && refusal !== undefined ? `${first}; ${refusal}` : (first ?? refusal)
  return difference === undefined
    ? { same: true, steps: 1 + capsule.actions.length }
    : { same: false, difference }
}

const selectIds = 'select id from operations where merchant_account_id = $1 order by id'

async function operationIds({ run }: World): Promise<string[]> {
  return (await run<{ id: string }>(selectIds, [ACCOUNT])).map(({ id }) => id)
}
