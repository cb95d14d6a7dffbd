import { afterAll, expect, test } from 'vitest'
import { eventNames } from '../src/events/event-name.ts'
import { operationsOf, statesOf } from './reachability/document.ts'
import { eventShapes } from './reachability/event-shapes.ts'
import { lookAtEverything } from './reachability/look-at-everything.ts'
import { type Merchants, openMerchants } from './reachability/merchants.ts'
import { observe } from './reachability/observer.ts'
import { otherScripts } from './reachability/others.scripts.ts'
import { paymentScripts } from './reachability/payments.scripts.ts'
import { auditedOperations } from './support/checks/audited-operations.ts'
import { startWithoutReportRounds } from './support/domains/reports.ts'

/** The states in the API's contract that neither sandbox nor production can show, with the reason. */
const unreachable: Record<string, string> = {
  'user deleted': 'who is deleted is not shown any more; the audit log shows who acted as they were then',
  'payment-service pending': 'nothing has to be set up elsewhere: it is `created` at once',
  'payment-service failed': 'the same',
  'transaction anti_fraud_decision pending':
    'no anti-fraud service answers a check later; a person’s decision is awaited as `review`',
  'TransactionThreeDSecureSummary setup_error':
    'where 3-D Secure is not set up the payment goes without; what is wrong with it is found when it is configured (400)',
  'refund voided': 'there is no operation that takes back a refund (semantics §4.1)',
  'payment-method buyer_approval_required':
    'no payment service of ours stores a method that its buyer approves',
  'payment-method failed': 'a method whose first payment fails is not stored',
  'network-token deleted': 'a deleted token is not shown any more: 404',
  'payment-service-token buyer_approval_required': 'cards are kept without asking the buyer',
  'RoutingAttempt queued':
    'an attempt is sent by the process that commits it; what is queued comes after one',
  'payment-service-token paused':
    'a payment service cannot pause a token of its own; the stored method can be',
}

const railyard = await startWithoutReportRounds()
await railyard.monitoring.stop()
const observer = await observe(railyard)
afterAll(() => observer.stop())

const operationsById = () =>
  new Map(operationsOf(observer.document).map((operation) => [operation.operationId, operation]))

async function runAll(
  scripts: Record<string, (town: Merchants) => Promise<unknown>>,
  town: Merchants,
): Promise<void> {
  for (const [name, script] of Object.entries(scripts)) {
    observer.begin(name)
    await script(town)
    await town.readFeeds()
  }
}

/** Sends every request of the audit log's test. */
async function changeEverything(town: Merchants): Promise<void> {
  // no merchant's own: it also changes what belongs to the instance
  const boss = await railyard.client({ account: town.shop.account })
  const operations = operationsById()
  for (const [id, { request }] of Object.entries(auditedOperations(railyard, boss))) {
    observer.begin(`test/support/checks/audited, ${id}`)
    const [path, body] = await request()
    const json = body !== undefined && { 'content-type': 'application/json' }
    const headers = {
      authorization: `Bearer ${boss.token}`,
      'x-svc-merchant-account-id': boss.account,
      ...json,
    }
    await railyard.send(operations.get(id)?.method ?? '', path, {
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
  await town.readFeeds()
}

/**
 * What happens elsewhere is asked for over HTTP, too. What cannot be: time passes, rounds are made at once,
 * and a process that makes a report dies.
 */
test('the sandbox reaches every status, every event and the success of every operation', async () => {
  observer.begin('merchants of every kind')
  const problemsOf = eventShapes(observer.document)
  const problems = new Set<string>()
  const town = await openMerchants(railyard, (event) => {
    observer.note(event.name)
    for (const problem of problemsOf(event)) problems.add(problem)
  })
  await runAll(paymentScripts, town)
  await changeEverything(town)
  await runAll(otherScripts, town)
  observer.begin('a look at what is there')
  await lookAtEverything(railyard, observer)

  const { reached, document } = observer
  const all = new Set([...statesOf(document), ...operationsById().keys(), ...eventNames])
  const list = [...all].map(
    (what) => `${what}  <-  ${reached.get(what) ?? `NEVER: ${unreachable[what] ?? '?'}`}`,
  )
  console.log(`${list.join('\n')}\n${reached.size} of ${all.size} are reached`)
  expect([...all].filter((what) => !reached.has(what) && !(what in unreachable))).toEqual([])
  expect([...problems]).toEqual([])
  // neither list knows what the other does not
  expect([...reached.keys()].filter((what) => !all.has(what))).toEqual([])
  expect(Object.keys(unreachable).filter((what) => !all.has(what) || reached.has(what))).toEqual([])
}, 240_000)
