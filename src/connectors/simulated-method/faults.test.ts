import { afterAll, expect } from 'vitest'
import { type Deed, describeFaults, onPayment } from '../../../test/support/checks/approval-faults.ts'
import { type MethodPayment, openMethodShop } from '../../../test/support/domains/simulated-method.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '400', RECOVERY_INTERVAL_MS: '50' })
const shop = await openMethodShop(railyard, 'venmo', 'ideal')
afterAll(async () => {
  // a delayed request has arrived by now, and changed nothing
  await expectBooksMatch(railyard, shop.account)
})

const authorize = { intent: 'authorize' }
const approves = onPayment((payment: MethodPayment) => payment.decides('approve'))

const deeds: Deed<MethodPayment>[] = [
  {
    operation: 'approval',
    prepare: async () => undefined,
    act: async () => (await shop.ask('venmo', 30_00)).body.id,
    ends: {
      status: expect.stringMatching(/^(buyer_approval_pending|authorization_failed)$/),
      authorized_amount: 0,
    },
  },
  {
    operation: 'authorize',
    prepare: () => shop.asked('venmo', 30_00, authorize),
    act: approves,
    ends: { status: 'authorization_succeeded', authorized_amount: 30_00 },
  },
  {
    operation: 'sale',
    prepare: () => shop.asked('venmo', 30_00),
    act: approves,
    ends: { status: 'capture_succeeded', captured_amount: 30_00 },
  },
  // a bank transfer, which the payment service reports later
  {
    operation: 'sale',
    prepare: () => shop.asked('ideal', 30_00),
    act: approves,
    ends: { status: expect.stringMatching(/^capture_(pending|succeeded)$/) },
  },
  {
    operation: 'find',
    prepare: () => shop.asked('venmo', 30_00, authorize),
    act: approves,
    ends: { status: expect.stringMatching(/^(buyer_approval_pending|authorization_succeeded)$/) },
  },
  {
    operation: 'capture',
    prepare: () => shop.paid('venmo', 30_00, authorize),
    act: onPayment((payment: MethodPayment) => payment.capture({ amount: 20_00 })),
    ends: { status: 'capture_succeeded', captured_amount: 20_00 },
  },
  {
    operation: 'void',
    prepare: () => shop.paid('venmo', 30_00, authorize),
    act: onPayment((payment: MethodPayment) => payment.void()),
    ends: { status: 'authorization_voided' },
  },
  {
    operation: 'refund',
    prepare: () => shop.paid('venmo', 30_00),
    act: onPayment((payment: MethodPayment) => payment.refund({ amount: 10_00 })),
    ends: { status: 'capture_succeeded', refunded_amount: 10_00 },
  },
  {
    operation: 'cancel',
    prepare: () => shop.paid('venmo', 540001, authorize),
    act: onPayment((payment: MethodPayment) => payment.cancel()),
    ends: { status: 'authorization_failed', error_code: 'canceled', authorized_amount: 0 },
  },
]

describeFaults(() => ({ railyard, shop }), deeds)
