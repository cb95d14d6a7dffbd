import { expect } from 'vitest'
import type { CheckoutState } from '../../../src/sandbox/providers/wallet/checkout-state.ts'
import { type CheckedWire, checkWire } from '../../contracts/checked-http.ts'
import { contract } from '../../contracts/contract.ts'
import type { Answer, TestRailyard } from '../railyard.ts'
import { openShop, type Payment, type Shop } from '../shop.ts'
import { startCheckedShop } from '../start-checked-shop.ts'

type Body = Record<string, unknown>

/** A wallet account at the simulator. */
export const walletService = (more: Body = {}) => ({
  display_name: 'Wallet',
  payment_service_definition_id: 'wallet-wallet',
  fields: Object.entries(walletFields).map(([key, value]) => ({ key, value })),
  accepted_currencies: ['EUR', 'USD', 'JPY', 'HUF'],
  accepted_countries: ['US', 'DE', 'JP', 'HU'],
  ...more,
})

export const walletFields = {
  client_id: 'client-1',
  client_secret: 'secret-1',
  environment: 'simulator',
  webhook_id: 'WEBHOOK1',
}

/** What a buyer at the wallet can do with an order. */
export interface Buyer {
  /** Loads the page. */
  review(): Promise<CheckoutState>
  /** Where the wallet sends their browser afterwards. */
  approve(): Promise<string>
  /** Approves with a funding source that will be refused. */
  decline(): Promise<string>
  cancel(): Promise<string>
  /** Any action, as it is answered. */
  act(action: string, body?: Body): Promise<{ status: number; body: CheckoutState & { redirect_to: string } }>
}

/** A payment that a buyer is asked for, and that buyer. */
export interface Asked extends Payment {
  created: Answer['body']
  buyer: Buyer
}

export interface WalletShop extends Shop {
  walletServiceId: string
  /** POST /transactions: the buyer is to approve at the wallet's page. */
  ask(amount: number, more?: Body, headers?: Record<string, string>): Promise<Answer>
  /** The same, where the test goes on. */
  asked(amount: number, more?: Body): Promise<Asked>
  /** Asked, approved, and the buyer is back at the shop. */
  authorized(amount: number, more?: Body): Promise<Asked>
  sold(amount: number, more?: Body): Promise<Asked>
}

export const redirected = {
  method: 'wallet',
  country: 'US',
  currency: 'EUR',
  redirect_url: 'https://shop.example/return?order=7',
}

/** `fields`: what is different about the account's fields; an undefined one is left out. */
export async function openWalletShop(railyard: TestRailyard, fields: Body = {}): Promise<WalletShop> {
  const shop = await openShop(railyard)
  const given = Object.entries({ ...walletFields, ...fields }).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value }],
  )
  const header = { 'x-svc-merchant-account-id': shop.account }
  const service = await railyard.admin.post('/payment-services', walletService({ fields: given }), header)
  expect(service).toMatchObject({ status: 201 })
  const walletServiceId: string = service.body.id

  const ask: WalletShop['ask'] = (amount, more = {}, headers) =>
    shop.post(
      '/transactions',
      { amount, currency: 'EUR', country: 'US', payment_method: redirected, ...more },
      headers,
    )
  const asked: WalletShop['asked'] = async (amount, more = {}) => {
    const { status, body } = await ask(amount, more)
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'buyer_approval_pending' } })
    return {
      ...shop.payment(body.id),
      created: body,
      buyer: buyerAt(pageOf(railyard, walletServiceId, body.payment_service_transaction_id)),
    }
  }
  const paid = async (amount: number, more: Body) => {
    const payment = await asked(amount, more)
    await goTo(await payment.buyer.approve())
    return payment
  }
  return {
    ...shop,
    walletServiceId,
    ask,
    asked,
    authorized: (amount, more = {}) => paid(amount, more),
    sold: (amount, more = {}) => paid(amount, { intent: 'capture', ...more }),
  }
}

/** The page of an order. */
export const pageOf = ({ simulatorUrl }: TestRailyard, service: string, order: string) =>
  `${simulatorUrl}/wallet/${service}/checkout/${order}`

export function buyerAt(page: string): Buyer {
  const json = { accept: 'application/json', 'content-type': 'application/json' }
  const act: Buyer['act'] = async (action, body = {}) => {
    const answer = await fetch(`${page}/${action}`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Awaited<ReturnType<Buyer['act']>>['body'] }
  }
  const leave = async (action: string) => {
    const { status, body } = await act(action)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.redirect_to
  }
  return {
    act,
    review: async () => (await (await fetch(page, { headers: json })).json()) as CheckoutState,
    approve: () => leave('approve'),
    decline: () => leave('decline'),
    cancel: () => leave('cancel'),
  }
}

/** A browser that follows no redirect: where it is sent. */
export async function goTo(url: string): Promise<{ status: number; location: URL }> {
  const answer = await fetch(url, { redirect: 'manual' })
  await answer.arrayBuffer()
  return { status: answer.status, location: new URL(answer.headers.get('location') ?? 'nowhere:') }
}

const walletContracts = [
  'wallet-oauth',
  'wallet-orders',
  'wallet-payments',
  'wallet-disputes',
  'wallet-webhooks',
] as const

/** Holds the wallet's wire to the provider's contracts from now on. */
export const checkWalletWire = (railyard: TestRailyard, options: { faults?: boolean } = {}): CheckedWire =>
  checkWire(
    railyard,
    '/wallet/',
    walletContracts.map((name) => contract(name)),
    { ours: ['certs'], ...options },
  )

interface StartOptions {
  env?: Record<string, string>
  /** The answers are not checked. */
  faults?: boolean
  /** What is different about the account's fields. */
  fields?: Body
}

/** An instance with this shop for all tests of a file. */
export const startWalletShop = ({ env, faults = false, fields }: StartOptions = {}) =>
  startCheckedShop({
    env,
    check: (railyard) => checkWalletWire(railyard, { faults }),
    open: (railyard) => openWalletShop(railyard, fields),
  })
