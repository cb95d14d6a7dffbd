import currencies from 'currency-codes'
import type { OperationKind } from './call.ts'
import { type Connector, type Definition, type Feature, features } from './connector.ts'
import { isMethod } from './method.schema.ts'

/** The feature that says that a connector has an operation, for each operation that has one. */
const featureOf = {
  capture: 'delayed_capture',
  void: 'void',
  cancel: 'cancel',
  increment: 'incremental_authorization',
  refund: 'refunds',
  payout: 'payouts',
} as const satisfies Partial<Record<OperationKind, Feature>>

/** Features that say nothing without another one. */
const needed = {
  partial_capture: 'delayed_capture',
  multi_capture: 'partial_capture',
  over_capture: 'delayed_capture',
  partial_refunds: 'refunds',
  open_loop: 'payouts',
} as const satisfies Partial<Record<Feature, Feature>>

/** Features that say that a connector has a member; each is true if and only if the member is there. */
const memberFeatures = [
  ['evidence', ({ disputes }) => disputes !== undefined],
  ['webhook_registration', ({ registerNotifications }) => registerNotifications !== undefined],
  ['settlement_reporting', ({ settlementReport }) => settlementReport !== undefined],
] as const satisfies readonly (readonly [Feature, (connector: Connector) => boolean])[]

const secretName = /secret|password|private|(?:api|hmac|webhook)_?key|access_?token/

/** What is wrong with a connector's definition; empty: nothing. */
export function definitionProblems(connector: Connector): string[] {
  const { definition, operations } = connector
  const has = (feature: Feature) => definition.features[feature] === true
  const entries = <Key extends string, Value>(table: Readonly<Partial<Record<Key, Value>>>) =>
    Object.entries(table) as [Key, Value][]
  return [
    ...shapeProblems(definition),
    ...entries<OperationKind, Feature>(featureOf).flatMap(([kind, feature]) =>
      has(feature) === (operations[kind] !== undefined)
        ? []
        : [
            `the feature ${feature} is ${has(feature)}, and the operation ${kind} is ${presence(operations[kind])}`,
          ],
    ),
    ...memberFeatures.flatMap(([feature, isThere]) =>
      has(feature) === isThere(connector)
        ? []
        : [`the feature ${feature} is ${has(feature)}, and the connector says the opposite`],
    ),
    ...entries<Feature, Feature>(needed).flatMap(([feature, other]) =>
      has(feature) && !has(other) ? [`the feature ${feature} needs ${other}`] : [],
    ),
    ...(has('create_session') && !connector.session ? ['the feature create_session needs session'] : []),
    ...(has('requires_webhook_setup') && !connector.readNotification
      ? ['the feature requires_webhook_setup needs readNotification']
      : []),
    ...(operations.authorize || operations.sale ? [] : ['there is neither authorize nor sale']),
    ...((operations.approval !== undefined) ===
    (definition.approval !== undefined && !definition.approval.movesMoney)
      ? []
      : ['the operation approval and the definition’s approval do not agree']),
    ...((definition.mode === 'card' || operations.payout) && !connector.close
      ? ['cards are charged or paid out to without `close`: an absent operation could still take effect']
      : []),
  ]
}

const presence = (operation: unknown) => (operation ? 'there' : 'absent')

/** The definition alone. */
function shapeProblems(definition: Definition): string[] {
  const { id, method, fields, currencies: taken, countries, approval, simulatedFeatures = [] } = definition
  const keys = fields.map(({ key }) => key)
  return [
    ...(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/.test(id)
      ? []
      : [`the id ${id} has other characters than a-z, 0-9 and hyphens`]),
    ...keys
      .filter((key, index) => keys.indexOf(key) !== index)
      .map((key) => `the field ${key} is there twice`),
    ...fields.flatMap(({ key, secret }) =>
      secretName.test(key) && !secret ? [`the field ${key} is not marked as secret`] : [],
    ),
    ...Object.keys(definition.features)
      .filter((name) => !features.some((feature) => feature === name))
      .map((name) => `${name} is no feature`),
    ...simulatedFeatures
      .filter((feature) => !definition.features[feature])
      .map((feature) => `the simulated feature ${feature} is not among its features`),
    ...(isMethod(method) ? [] : [`${method} is no payment method`]),
    ...taken.filter((each) => !currencies.code(each)).map((each) => `${each} is no currency`),
    ...countries.filter((each) => !/^[A-Z]{2}$/.test(each)).map((each) => `${each} is no country`),
    ...(approval && !(approval.defaultLife > 0 && approval.defaultLife <= approval.longestLife)
      ? ['an approval’s default life is longer than its longest']
      : []),
  ]
}
