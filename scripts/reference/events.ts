import { eventMeanings } from '../../src/events/event-meanings.ts'
import { type EventName, eventNames } from '../../src/events/event-name.ts'
import { TransactionEvent } from '../../src/transactions/views/timeline.schema.ts'
import { code, page, table } from './markdown.ts'

/** The values that a schema allows. */
const wordsOf = (schema: object): string[] =>
  'enum' in schema && Array.isArray(schema.enum) ? schema.enum.map(String) : []

const resourceOf = (name: EventName) => name.slice(0, name.lastIndexOf('.'))

/** docs/reference/events.md */
export const eventsPage = () =>
  page(
    '# Events',
    `Railyard writes an event in the commit of the change that it reports. Webhooks deliver it, and \`GET /events\` lists it ([webhooks](../guides/webhooks.md)). A payment that is created, authorized and captured in one
request has the events of its final state only. An outcome that is not known yet is reported once as \`…-pending\`, and again when it is known. Names may be added: ignore the ones that you do not know.`,
    ...Array.from(Map.groupBy(eventNames, resourceOf), ([resource, names]) =>
      [
        `## ${resource}`,
        table(
          ['event', 'when'],
          names.map((name) => [code(name), eventMeanings[name]]),
        ),
      ].join('\n\n'),
    ),
    '## Lines of a transaction’s timeline',
    `\`GET /transactions/{id}/events\` is another list: the timeline of one transaction, with each request to a payment service and each decision, for people who want to know what happened
([semantics §3.17](../spec/semantics.md#s3-17) has the members of \`context\`). Its names:`,
    wordsOf(TransactionEvent.properties.name).map(code).join(', '),
  )
