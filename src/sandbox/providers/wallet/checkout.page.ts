import type { CheckoutOrder, CheckoutPage, Popup } from '../../page/checkout.page.ts'
import { addressBook, addressLines, isSameAddress } from './addresses.ts'
import type { CheckoutState } from './checkout-state.ts'
import { type Money, minorUnits } from './money.ts'

/** The page's surroundings: its URLs and its window. */
interface Setting {
  actions: string
  cancelled: boolean
  returnUrl: string | undefined
  popup: Popup | undefined
}

export const noSuchOrder: CheckoutPage = { provider: 'Wallet', state: 'unknown' }

/** The page of an order. */
export function pageOf(
  state: CheckoutState,
  { actions, cancelled, returnUrl, popup }: Setting,
): CheckoutPage {
  const isDecided = state.status === 'APPROVED' || state.status === 'COMPLETED'
  const decided = state.refused ? 'declined' : 'approved'
  return {
    provider: 'Wallet',
    state: isDecided ? decided : cancelled ? 'cancelled' : 'open',
    order: orderOf(state, actions),
    returnUrl: returnUrl,
    popup,
  }
}

/** The parts of an amount in the order in which they are shown; those with `reduces` are subtracted. */
const parts = [
  { name: 'item_total', label: 'Items', reduces: false },
  { name: 'shipping', label: 'Shipping', reduces: false },
  { name: 'handling', label: 'Handling', reduces: false },
  { name: 'insurance', label: 'Insurance', reduces: false },
  { name: 'tax_total', label: 'Tax', reduces: false },
  { name: 'shipping_discount', label: 'Shipping discount', reduces: true },
  { name: 'discount', label: 'Discount', reduces: true },
] as const

const meanings = {
  PAY_NOW: { label: 'Pay now', meaning: 'You pay as soon as you approve.' },
  CONTINUE: {
    label: 'Continue',
    meaning: 'You approve now, and the shop shows you your order once more before you pay.',
  },
}

function orderOf(state: CheckoutState, actions: string): CheckoutOrder {
  const { merchant, locale, amount, items, payer, address, error } = state
  const to = (lines: readonly string[]) => [payer.name, ...lines]
  return {
    merchant,
    locale,
    currency: amount.currency_code,
    amount: minorUnits(amount),
    lines: items.map(({ name, quantity, unit_amount }) => ({
      name,
      quantity: Number(quantity),
      amount: Number(quantity) * minorUnits(unit_amount),
    })),
    breakdown: parts.flatMap(({ name, label, reduces }) => {
      const part: Money | undefined = amount.breakdown?.[name]
      return part ? [{ label, amount: minorUnits(part) * (reduces ? -1 : 1) }] : []
    }),
    shipTo: address && to(addressLines(address)),
    addresses:
      state.can_change_address && address
        ? choices(address).map((choice) => ({ ...choice, lines: to(choice.lines) }))
        : undefined,
    options: state.shipping_options.map((option) => ({
      id: option.id,
      label: option.label,
      amount: option.amount ? minorUnits(option.amount) : 0,
      chosen: option.selected,
    })),
    problem: error && `${error.message} (${error.issue})`,
    canApprove: state.can_approve,
    approve: meanings[state.user_action],
    actions,
  }
}

/** The address that the buyer entered, followed by those on file. */
function choices(address: NonNullable<CheckoutState['address']>) {
  const filed = Object.entries(addressBook).map(([id, entry]) => ({
    id,
    lines: addressLines(entry),
    chosen: isSameAddress(entry, address),
  }))
  return filed.some(({ chosen }) => chosen)
    ? filed
    : [{ id: 'entered', lines: addressLines(address), chosen: true }, ...filed]
}
