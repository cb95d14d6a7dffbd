import type { Connector } from '../connectors/contract/connector.ts'
import { operationKinds } from './capabilities.ts'
import { type Check, check, findDifferences } from './check.ts'
import type { ConnectorUnderTest } from './fake-provider.ts'
import { type FaultName, faultNames, faults } from './faults.ts'
import type { Disturbance, SuiteOperation } from './harness.ts'
import { recover, send, settle } from './play.ts'
import {
  beginOperation,
  beginPayment,
  continueApproval,
  describe,
  isPaymentKind,
  openingKind,
  openScenario,
  type Scenario,
  SetupFailed,
  storeInstrument,
} from './scenario.ts'

/** How an operation goes when nothing disturbs it: how many requests it sends, and how often it commits. */
interface Course {
  requests: number
  commits: number
}

/** What disturbs an operation at each of its requests, and its first look-up. */
interface Cell {
  name: string
  disturbances: (course: Course) => readonly Disturbance[]
  /** The fault that strikes the first request of the first look-up, too, in a second round. */
  inRecovery?: FaultName
  /** When recovery begins, in milliseconds; absent: at once. */
  pauseMs?: number
}

/** Longer than most providers remember a key, and shorter than they hold money. */
const OUTAGE_MS = 2 * 24 * 3_600_000

const atEachRequest =
  (disturb: (step: number) => Disturbance) =>
  ({ requests }: Course): readonly Disturbance[] =>
    Array.from({ length: requests }, (_, index) => disturb(index + 1))

const cells: readonly Cell[] = [
  { name: 'nothing goes wrong', disturbances: () => [{}] },
  ...faultNames.map((name) => ({
    name,
    disturbances: atEachRequest((step) => ({ fault: { step, fault: faults[name] } })),
    inRecovery: name,
  })),
  {
    name: 'the process dies before the request',
    disturbances: atEachRequest((step) => ({ crash: { before: step } })),
  },
  ...faultNames.map((name) => ({
    name: `${name}, and the process dies`,
    disturbances: atEachRequest((step) => ({ fault: { step, fault: faults[name] }, crash: { after: step } })),
    inRecovery: name,
  })),
  {
    name: 'the process dies after the request',
    disturbances: atEachRequest((step) => ({ crash: { after: step } })),
  },
  ...(['the request is lost', 'the answer is lost'] as const).map((name) => ({
    name: `${name}, and recovery begins two days later`,
    disturbances: atEachRequest((step) => ({ fault: { step, fault: faults[name] }, crash: { after: step } })),
    pauseMs: OUTAGE_MS,
  })),
  {
    name: 'the process dies after the commit of a reference, if it commits one',
    disturbances: ({ commits }) => (commits > 0 ? [{ crash: 'after the commit' }] : []),
  },
  {
    name: 'the commit of a reference fails, if it commits one',
    disturbances: ({ commits }) => (commits > 0 ? [{ commitFails: true }] : []),
  },
]

/**
 * Operation × fault × crash: however a request, an answer or the process is lost, the operation is decided
 * within ten look-ups, took effect at most once, and our outcome agrees with the provider's books.
 */
export function matrixChecks(connector: Connector, underTest: ConnectorUnderTest): Check[] {
  return playsOf(connector).flatMap(({ name, begin }) => {
    const course = memo(() => undisturbedCourse(connector, underTest, begin))
    return cells.map((cell) =>
      check(`${name}: ${cell.name}`, async () => {
        const found = []
        for (const disturbance of cell.disturbances(await course()))
          for (const lookup of lookupsOf(cell))
            found.push(...(await playCell(connector, underTest, begin, { ...cell, disturbance, lookup })))
        return [...new Set(found)]
      }),
    )
  })
}

type Begin = (scenario: Scenario) => Promise<SuiteOperation>

/**
 * What is played: an operation of each kind. A stored token asks no buyer, so that its payments take another way
 * than those that a buyer approves.
 */
function playsOf({ operations, definition }: Connector): { name: string; begin: Begin }[] {
  const kinds = operationKinds.filter((kind) => operations[kind])
  const hasStoredTokens = operations.approval && definition.features.payment_method_tokenization
  return [
    ...kinds.map((kind) => ({ name: kind, begin: (scenario: Scenario) => beginOperation(scenario, kind) })),
    ...(hasStoredTokens ? kinds.filter(isPaymentKind) : []).map((kind) => ({
      name: `${kind} by a stored token`,
      begin: async (scenario: Scenario) => {
        const stored = await storeInstrument(scenario, kind)
        if (!stored) throw new SetupFailed('the payment that stores the instrument has no storedToken')
        return beginPayment(scenario, kind, stored)
      },
    })),
  ]
}

const lookupsOf = ({ inRecovery }: Cell): readonly Disturbance[] =>
  inRecovery ? [{}, { fault: { step: 1, fault: faults[inRecovery] } }] : [{}]

async function undisturbedCourse(
  connector: Connector,
  underTest: ConnectorUnderTest,
  begin: Begin,
): Promise<Course> {
  const scenario = openScenario(connector, underTest)
  const begun = await begin(scenario)
  const { requests, commits } = await send(scenario.harness, begun)
  return { requests: requests(), commits: commits() }
}

async function playCell(
  connector: Connector,
  underTest: ConnectorUnderTest,
  begin: Begin,
  { disturbance, lookup, pauseMs = 0 }: { disturbance: Disturbance; lookup: Disturbance; pauseMs?: number },
): Promise<string[]> {
  const scenario = openScenario(connector, underTest)
  const { harness } = scenario
  const begun = await begin(scenario)
  const { kind } = begun.operation
  await send(harness, begun, disturbance)
  await recover(harness, begun, { disturbance: lookup, pauseMs })
  // a payment that was to be cancelled is decided, too; its buyer comes unless it was
  const decision = begun.outcome?.status === 'approved' ? 'abandon' : 'approve'
  for (const other of scenario.operations) if (other !== begun) await recover(harness, other, { decision })
  if (kind === 'approval' && begun.outcome?.status === 'approved') await payApproved(scenario, begun)
  harness.deliverLate()
  const place = placeOf(disturbance, lookup)
  const isUndisturbed = Object.keys(disturbance).length === 0
  const refused =
    isUndisturbed && begun.outcome?.status !== 'approved' ? [`the ${kind} is ${describe(begun.outcome)}`] : []
  return [...refused, ...findDifferences(scenario)].map((difference) => `${place}${difference}`)
}

/** The money step that follows an approval, undisturbed. */
async function payApproved(scenario: Scenario, approval: SuiteOperation): Promise<void> {
  const { connector, underTest, harness } = scenario
  const { approved } = underTest.instruments
  const paid = continueApproval(scenario, openingKind(connector), approval, approved)
  await settle(harness, paid)
  if (paid.outcome?.status !== 'approved')
    harness.problems.push(`the ${paid.operation.kind} after the approval is ${describe(paid.outcome)}`)
}

/** Where the disturbance struck, for a message. */
function placeOf({ fault, crash }: Disturbance, lookup: Disturbance): string {
  const step =
    fault?.step ?? (typeof crash === 'object' ? ('before' in crash ? crash.before : crash.after) : 0)
  const where = [...(step > 0 ? [`request ${step}`] : []), ...(lookup.fault ? ['first look-up'] : [])]
  return where.length > 0 ? `at ${where.join(' and ')}: ` : ''
}

/** Runs once, when it is needed first. */
function memo<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let started: Promise<Result> | undefined
  return () => {
    started ??= run()
    return started
  }
}
