import { routingWords } from '../../words/connections/routing.ts'
import type { Action } from './flows.ts'

export const instruments = ['pan', 'network_token', 'service_token'] as const
export type Instrument = (typeof instruments)[number]

export interface Attempt {
  service: string
  instrument: Instrument | ''
}

export interface Share {
  percent: number
  attempts: Attempt[]
}

export type RequiredField = keyof (typeof routingWords)['required']
export const requiredFields = Object.keys(routingWords.required) as RequiredField[]

/** What a rule decides, of all actions together. */
export interface Outcome {
  attempts: Attempt[]
  /** Empty: not split. */
  shares: Share[]
  /** Empty: every decline that can be retried. */
  retryOn: string[]
  maximum: number | undefined
  errorCode: string
  methods: string[]
  required: RequiredField[]
}

type Members = Readonly<Record<string, unknown>>
const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {}
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const texts = (value: unknown): string[] => list(value).filter((each) => typeof each === 'string')

const readAttempts = (value: unknown): Attempt[] =>
  list(value).map((each) => {
    const { payment_service_id, instrument } = members(each)
    return {
      service: String(payment_service_id),
      instrument: instruments.find((known) => known === instrument) ?? '',
    }
  })

/** The outcome of a rule as the API has it, of which nothing is taken for granted. */
export function readOutcome(outcome: Members): Outcome {
  const { on, maximum } = members(outcome['retries'])
  const { address, ...buyer } = members(outcome['required_fields'])
  const required = {
    ...buyer,
    ...Object.fromEntries(Object.entries(members(address)).map(([key, value]) => [`address.${key}`, value])),
  } as Members
  return {
    attempts: readAttempts(outcome['attempts']),
    shares: list(outcome['split']).map((each) => {
      const { percent, attempts } = members(each)
      return { percent: Number(percent), attempts: readAttempts(attempts) }
    }),
    retryOn: texts(on),
    maximum: typeof maximum === 'number' ? maximum : undefined,
    errorCode: typeof outcome['error_code'] === 'string' ? outcome['error_code'] : 'flow_decline',
    methods: texts(outcome['methods']),
    required: requiredFields.filter((name) => required[name] === true),
  }
}

const writeAttempts = (attempts: readonly Attempt[]) =>
  attempts.map(({ service, instrument }) => ({
    payment_service_id: service,
    ...(instrument && { instrument }),
  }))

/** The outcome of an action as the API wants it. */
export function writeOutcome(action: Action, outcome: Outcome): Record<string, unknown> {
  const { attempts, shares, retryOn, maximum, errorCode, methods, required } = outcome
  switch (action) {
    case 'route-transaction': {
      const retries = {
        ...(retryOn.length > 0 && { on: retryOn }),
        ...(maximum !== undefined && { maximum }),
      }
      return {
        ...(shares.length > 0
          ? {
              split: shares.map((share) => ({
                percent: share.percent,
                attempts: writeAttempts(share.attempts),
              })),
            }
          : { attempts: writeAttempts(attempts) }),
        ...(Object.keys(retries).length > 0 && { retries }),
      }
    }
    case 'decline-early':
      return { error_code: errorCode }
    case 'skip-3ds':
      return {}
    case 'select-payment-options': {
      const buyer = required.filter((name) => !name.startsWith('address.'))
      const address = required.filter((name) => name.startsWith('address.'))
      const chosen = (names: readonly string[]) =>
        Object.fromEntries(names.map((name) => [name.replace('address.', ''), true]))
      return {
        ...(methods.length > 0 && { methods }),
        ...(required.length > 0 && {
          required_fields: { ...chosen(buyer), ...(address.length > 0 && { address: chosen(address) }) },
        }),
      }
    }
  }
}
