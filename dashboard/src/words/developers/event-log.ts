import { developerWords } from './developers.ts'

export const eventLogWords = {
  title: developerWords.eventLog,
  text: 'What happened in this merchant account, the newest first: the same events as by webhooks.',
  none: 'No events yet',
  noneText: 'An event appears here when something happens to a payment, a buyer or another resource.',
  noneFound: 'No event matches',
  noneFoundText: 'Remove a filter.',
  reading: (count: number) => `Reading the log: ${count} events so far`,
  live: (count: number) => `${count} events read. New ones appear by themselves.`,
  more: (count: number) =>
    `The log is longer: ${count} events read from its beginning. The newest ones come after them.`,
  readOn: 'Read on',
  event: 'Event',
  resource: 'Resource',
  resourceType: 'Kind of resource',
  resourceId: 'Id of the resource',
  when: 'When',
  open: 'Open the resource',
  webhooks: 'Webhooks',
  ofResource: 'Show the events',
  deliveries: 'Deliveries to',
  payload: 'Payload',
  sequence: 'Number',
  id: 'Id',
  oldest: (count: number) => `The newest ${count} are shown.`,
} as const
