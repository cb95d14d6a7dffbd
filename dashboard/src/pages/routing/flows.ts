import type { FlowRuleReplace } from '@railyard/client'

/** The flows, and what the rules of each can do. */
export const flowActions = {
  'card-transaction': ['route-transaction', 'decline-early', 'skip-3ds'],
  'redirect-transaction': ['route-transaction'],
  'non-card-transaction': ['decline-early'],
  checkout: ['select-payment-options'],
} as const satisfies Record<string, readonly Action[]>

export type Flow = keyof typeof flowActions
export type Action = FlowRuleReplace['action']

export const flows = Object.keys(flowActions) as Flow[]
export const isFlow = (text: string | null | undefined): text is Flow =>
  typeof text === 'string' && Object.hasOwn(flowActions, text)

/** Past payments can be decided again by the rules of every flow but the checkout's. */
export const isReplayable = (flow: Flow): boolean => flow !== 'checkout'
