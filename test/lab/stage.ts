import { recoverOperation } from '../../src/background/recover-operation.ts'
import { claimDueOperations } from '../../src/operations/journal/claim-operations.ts'
import type { Books } from '../../src/sandbox/core/books.ts'
import { startSimulator } from '../../src/sandbox/simulator.ts'
import { isReviewDecided, recoverReview } from '../../src/transactions/review/review.ts'
import {
  type Client,
  card,
  mockCardService,
  startTestRailyard,
  stopBackground,
  type TestClock,
  type TestRailyard,
} from '../support/railyard.ts'
import { type DatabaseClock, installDatabaseClock } from './database-clock.ts'
import { installNetwork, type Network } from './network.ts'
import { watchRefunds } from './reservations.ts'
import { installStopPoints, type StopPoints } from './stop-points.ts'

/**
 * One process on virtual time with its own provider. Many stories are played on it, each by its own merchant.
 */
export interface Stage {
  railyard: TestRailyard
  /** What the payment services have booked, of all merchants. */
  books: Books
  clock: TestClock
  databaseClock: DatabaseClock
  network: Network
  refunds: ReturnType<typeof watchRefunds>
  points: StopPoints
  /** Another merchant, with an operation of its own. */
  stranger: Merchant & { operation: string }
  /** Runs recovery over everything that is due, one after the other. Returns the number of operations. */
  recover(): Promise<number>
  close(): Promise<void>
}

/** The merchant of a story, with its payment services. */
export interface Merchant extends Client {
  card: string
  second: string
  wallet: string
  giftCards: string
  cardWebhook: string
}

const START = Date.UTC(2030, 0, 1)
/** A real instance's time limit. A time-out takes no real time here. */
const PROVIDER_TIMEOUT_MS = 15_000
/** Longer than any story: pending operations are decided by lookups. */
const PENDING_MS = 2_000_000_000

/** A clock that stands still until it is advanced. */
function virtualClock(): TestClock {
  let now = START
  return {
    now: () => now,
    advance(ms) {
      now += ms
    },
  }
}

export async function openStage(): Promise<Stage> {
  const clock = virtualClock()
  const simulator = await startSimulator({ clock, pendingMs: PENDING_MS })
  const railyard = await startTestRailyard(
    {
      SANDBOX_URL: simulator.url,
      PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
      RECOVERY_INTERVAL_MS: '60000',
      LOG_LEVEL: 'silent',
    },
    clock,
  )
  // background rounds would run at another moment each time
  await stopBackground(railyard)
  const { world } = railyard
  const databaseClock = await installDatabaseClock(world, clock)
  const refunds = watchRefunds(world)
  const network = installNetwork(world, clock)
  const points = installStopPoints(world)
  const leaseMs = world.settings.providerTimeout + 2_000
  const merchant = await openMerchant(railyard)
  const { body } = await merchant.post('/transactions', {
    amount: 10_00,
    currency: 'EUR',
    country: 'DE',
    payment_method: card,
  })
  const [operation] = await world.run<{ id: string }>('select id from operations where transaction_id = $1', [
    body.id,
  ])
  return {
    railyard,
    books: simulator.sandbox.books,
    clock,
    databaseClock,
    network,
    refunds,
    points,
    stranger: { ...merchant, operation: operation?.id ?? '' },
    async recover() {
      let handled = 0
      for (;;) {
        const [due] = await claimDueOperations(world, 1, leaseMs)
        if (!due) return handled
        handled += 1
        // recovery logs failures and looks again
        await (isReviewDecided(due) ? recoverReview(world, due) : recoverOperation(world, due)).catch(
          () => undefined,
        )
      }
    },
    async close() {
      await databaseClock.close()
      await railyard.close()
      await simulator.close()
    },
  }
}

export async function openMerchant(railyard: TestRailyard): Promise<Merchant> {
  const merchant = await railyard.merchant()
  const owned = { 'x-svc-merchant-account-id': merchant.account }
  const add = async (path: string, body: object): Promise<{ id: string; webhook_url: string }> => {
    const answer = await railyard.admin.post(path, body, owned)
    if (answer.status !== 201) throw new Error(`${path} was answered ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const second = await add('/payment-services', mockCardService({ display_name: 'Second card' }))
  const wallet = await add('/payment-services', {
    display_name: 'Wallet',
    payment_service_definition_id: 'wallet-wallet',
    // its notifications would arrive at another moment each time
    fields: Object.entries({
      client_id: 'client-1',
      client_secret: 'secret-1',
      environment: 'simulator',
    }).map(([key, value]) => ({ key, value })),
    accepted_currencies: ['EUR'],
    accepted_countries: ['DE', 'US'],
  })
  const giftCards = await add('/gift-card-services', {
    gift_card_service_definition_id: 'mock-gift-card',
    display_name: 'Gift cards',
    fields: [{ key: 'api_key', value: 'any' }],
  })
  const first = await merchant.get(`/payment-services/${merchant.paymentServiceId}`)
  return {
    ...merchant,
    card: merchant.paymentServiceId,
    second: second.id,
    wallet: wallet.id,
    giftCards: giftCards.id,
    cardWebhook: first.body.webhook_url,
  }
}
