import type { Connector, NotificationForCall, NotificationSubject } from '../connectors/contract/connector.ts'
import { type Check, check } from './check.ts'
import type { ConnectorUnderTest } from './fake-provider.ts'
import { readSubjects, subjectOf } from './harness.ts'
import { idsAfter } from './payment.ts'
import { settle } from './play.ts'
import { beginFollowUp, beginPayment, openingKind, openScenario, type Scenario } from './scenario.ts'

/** What notifications lead to: those of the provider, forged ones, and those about nothing of ours. */
export function notificationChecks(connector: Connector, underTest: ConnectorUnderTest): Check[] {
  if (!connector.readNotification) return []
  const read = (scenario: Scenario, message: NotificationForCall) =>
    readSubjects(connector, scenario.harness.serviceCall(), message)
  const unread = unreadable.map(([what, message]) =>
    check(`a notification that ${what} is about nothing, or forged`, async () => {
      const subjects = await read(openScenario(connector, underTest), message)
      return subjects.flatMap((subject) =>
        subject.about === 'nothing' || subject.about === 'forged' ? [] : [`it is about: ${subject.about}`],
      )
    }),
  )
  return [
    check('the provider’s notifications are about our operations and payments', async () => {
      const scenario = openScenario(connector, underTest)
      const told = await notificationsOfPayments(scenario)
      const ours = knownIds(scenario)
      const strange = told.flatMap(({ subjects }) => subjects.flatMap((each) => strangenessOf(each, ours)))
      return told.length > 0 ? strange : ['the fake sends no notification']
    }),
    check('a changed notification is refused', async () => {
      const scenario = openScenario(connector, underTest)
      const told = await notificationsOfPayments(scenario)
      const believed = []
      for (const { message } of told)
        for (const changed of (underTest.forgeriesOf ?? changesOf)(message))
          for (const subject of await read(scenario, changed))
            if (!isHarmless(subject, underTest)) believed.push(`a changed one is about: ${subject.about}`)
      return [...new Set(believed)]
    }),
    check('a notification about an unknown payment names none of ours', async () => {
      const scenario = openScenario(connector, underTest)
      await notificationsOfPayments(scenario)
      const message = scenario.harness.provider.foreignNotification?.()
      const ours = knownIds(scenario)
      return (message ? await read(scenario, message) : []).flatMap((subject) => {
        if (subject.about === 'forged') return ['it is refused: the provider would send it for days']
        return ours.has(subjectOf(subject) ?? '') ? ['it names a payment of ours'] : []
      })
    }),
    ...unread,
  ]
}

const message = (text: string, body: Record<string, unknown>): NotificationForCall => ({
  headers: { 'content-type': 'application/json' },
  text,
  body,
})

const unreadable: readonly (readonly [string, NotificationForCall])[] = [
  ['is empty', message('', {})],
  ['has another shape', message('{"id":7,"data":[null]}', { id: 7, data: [null] })],
]

/** The notifications of a payment that is captured and refunded in part, as far as the connector can. */
async function notificationsOfPayments(scenario: Scenario) {
  const { connector, underTest, harness } = scenario
  const { operations } = connector
  const begun = await beginPayment(scenario, openingKind(connector), underTest.instruments.approved)
  await settle(harness, begun)
  await harness.deliverNotifications()
  let ids = idsAfter(begun.operation, begun.outcome)
  for (const kind of ['capture', 'refund'] as const) {
    if (!operations[kind] || (kind === 'capture' && begun.operation.kind === 'sale')) continue
    const next = await settle(harness, beginFollowUp(scenario, kind, ids))
    ids = idsAfter(ids, next.outcome)
    await harness.deliverNotifications()
  }
  return harness.notifications
}

/** Every id that a notification may name: of our operations, and of their payments. */
const knownIds = ({ operations }: Scenario): ReadonlySet<string> =>
  new Set(
    operations.flatMap(({ operation, outcome }) => {
      const { paymentReference } = idsAfter(operation, outcome)
      return [operation.id, operation.committedReference ?? operation.id, paymentReference ?? operation.id]
    }),
  )

function strangenessOf(subject: NotificationSubject, ours: ReadonlySet<string>): string[] {
  if (subject.about === 'forged') return ['one is taken for forged']
  const id = subjectOf(subject)
  return id === undefined || ours.has(id) ? [] : [`one is about ${id}, which is not ours`]
}

/** Without a signature a notification may lead to a look-up, and to nothing else. */
const isHarmless = (subject: NotificationSubject, { signsNotifications }: ConnectorUnderTest): boolean =>
  subject.about === 'forged' ||
  (signsNotifications === false && subject.about !== 'dispute' && !('notice' in subject))

/** A notification with one character of its text changed, and one with another body and the same signature. */
function changesOf({ headers, text, body }: NotificationForCall): NotificationForCall[] {
  const at = text.search(/\d/)
  const flipped =
    at < 0 ? `${text} ` : text.slice(0, at) + (text[at] === '7' ? '8' : '7') + text.slice(at + 1)
  const reread = readObject(flipped)
  return [...(reread ? [{ headers, text: flipped, body: reread }] : []), { headers: {}, text, body }]
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
