import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Event } from '../../src/events/event.schema.ts'
import type { Document } from './document.ts'

/** How the API document calls the shape of what an event is about, by the type of its target. */
const shapes: Record<string, string> = {
  transaction: 'Transaction',
  capture: 'Capture',
  refund: 'Refund',
  payout: 'PayoutSummary',
  buyer: 'Buyer',
  'shipping-details': 'ShippingDetails',
  'payment-method': 'PaymentMethod',
  'gift-card': 'GiftCard',
  'report-execution': 'ReportExecution',
  'monitoring.incident': 'MonitoringIncident',
  'hosted-page.incident': 'PageIncident',
  'api-key-pair': 'ApiKeyPair',
  proposal: 'ProposalSummary',
}

/** Members that an event has beside those of the API's shape. */
const beside: Record<string, string[]> = { transaction: ['has_gift_card_redemptions'] }
/** Secrets of the API's shape that an event never has. */
const withoutSecrets: Record<string, object> = { 'api-key-pair': { private_key: null } }

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/

/** Every time in it, wherever it stands, that is not in the form of the API. */
const oddTimes = (value: unknown, name = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => oddTimes(item, name))
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => oddTimes(inner, key))
  return name.endsWith('_at') && typeof value === 'string' && !TIME.test(value) ? [`${name} ${value}`] : []
}

/** What is wrong with an event's shape, as the API document has it. */
export function eventShapes(document: Document): (event: Event) => string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ $id: 'api', components: document.components })
  const validators = new Map(
    Object.entries(shapes).map(([type, name]) => [
      type,
      ajv.compile({ $ref: `api#/components/schemas/${name}` }),
    ]),
  )
  return (event) => {
    const { target } = event
    const extra = new Set(beside[target.type])
    const resource = {
      ...withoutSecrets[target.type],
      ...Object.fromEntries(Object.entries(target).filter(([member]) => !extra.has(member))),
    }
    const validate = validators.get(target.type)
    const problems =
      validate && !validate(resource)
        ? (validate.errors ?? []).map(
            ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
          )
        : []
    return [...problems, ...oddTimes(event)].map((problem) => `${event.name} (${target.type}): ${problem}`)
  }
}
