import type { Address } from './order.schema.ts'
import type { WalletOrder } from './order.ts'

/** What the buyer sees while they decide. */
export interface CheckoutState {
  order: string
  status: string
  merchant: string | null
  locale: string
  /** `PAY_NOW`: the buyer's approval pays; `CONTINUE`: the shop asks once more. */
  user_action: 'PAY_NOW' | 'CONTINUE'
  amount: WalletOrder['unit']['amount']
  description: string | null
  items: NonNullable<WalletOrder['unit']['items']>
  payer: { name: string; email: string }
  address: Address | null
  can_change_address: boolean
  shipping_options: NonNullable<NonNullable<WalletOrder['unit']['shipping']>['options']>
  /** Approved with a funding source that will be refused. */
  refused: boolean
  /** What went wrong with the shipping; null: nothing. */
  error: { issue: string; message: string } | null
  can_approve: boolean
}
