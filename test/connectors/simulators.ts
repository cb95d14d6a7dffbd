import type { ConnectorUnderTest, FakeAnswer, FakeProvider } from '../../src/connector-kit/fake-provider.ts'
import { mockCard } from '../../src/connectors/mock-card/connector.ts'
import { simulatedMethodConnectors } from '../../src/connectors/simulated-method/connector.ts'
import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'
import type { Answer } from '../../src/sandbox/core/provider-messages.ts'
import { cardProvider } from '../../src/sandbox/providers/card/card.routes.ts'
import { redirectProvider } from '../../src/sandbox/providers/redirect/redirect.routes.ts'
import { openSandbox, type Provider } from '../../src/sandbox/sandbox.ts'
import { entriesOf, type SuiteEntry } from './support/suite-entry.ts'

/** The URL that a connector is given; the requests never leave the process. */
const simulatorUrl = 'http://simulator.example'

/** A simulator of the sandbox as a fake provider, with its own books in memory. */
export function simulated(name: string, simulator: Provider): FakeProvider {
  let now = Date.parse('2026-03-02T10:00:00Z')
  const options = { clock: { now: () => now }, pagesUrl: () => simulatorUrl }
  const sandbox = openSandbox(options, new Map([[name, simulator]]))
  // its notifications go out over HTTP, and to no test
  sandbox.ending.abort()

  function receive({ method, url, headers: sent = {}, form, body = form ?? {} }: HttpRequest): FakeAnswer {
    const { pathname, searchParams: query } = new URL(url)
    const path = pathname.split('/').slice(1)
    const headers = Object.fromEntries(
      Object.entries(sent).map(([header, value]) => [header.toLowerCase(), value]),
    )
    const said = simulator.receive(sandbox, { method, path, query, headers, body })?.process()
    if (!said || !isAnswer(said))
      throw new Error(`the simulator does not answer ${method} ${pathname} at once`)
    said.delivered?.()
    const answer = { status: said.status, ...(said.headers && { headers: said.headers }) }
    return said.body === '' ? answer : { ...answer, body: JSON.parse(said.body) }
  }

  return {
    receive,
    effects: () =>
      [...sandbox.books.operations.values()]
        .map(({ result }) => result)
        .filter(({ status }) => status === 'approved')
        .map(({ key, kind, payment_id: payment, amount, currency }) => ({
          key,
          kind,
          payment,
          amount,
          currency,
        })),
    takeNotifications: () => [],
    ...(simulator.decideForBuyer && {
      visit(url, decision) {
        const [, service = '', order = ''] = /([^/]+)\/checkout\/([^/]+)$/.exec(url) ?? []
        if (decision !== 'abandon')
          void simulator.decideForBuyer?.(
            sandbox,
            service,
            order,
            decision === 'approve' ? 'approve' : 'reject',
          )
        return {}
      },
    }),
    advance(ms) {
      now += ms
    },
  }
}

const isAnswer = (said: Answer | Promise<Answer>): said is Answer => 'status' in said

/** What the simulators have in common. */
export const common = {
  fields: { merchant_id: 'merchant-1' },
  currency: 'EUR',
  signsNotifications: false,
  impossible: {
    'the provider’s notifications are about our operations and payments':
      'the simulator sends its notifications over HTTP',
  },
} as const satisfies Partial<ConnectorUnderTest>

const card = (number: string) => ({
  instrument: { card: { number, expirationDate: '11/30', securityCode: '123', scheme: 'visa' } },
})

const simulatedCard: ConnectorUnderTest = {
  ...common,
  provider: () => simulated('card', cardProvider),
  instruments: {
    approved: card('4111111111111111'),
    declined: card('4111412911111172'),
    pending: { ...card('4111111111111111'), amount: 540001 },
  },
}

/** A method whose buyer approves at the provider. */
const simulatedMethod: ConnectorUnderTest = {
  ...common,
  provider: () => simulated('redirect', redirectProvider),
  instruments: { approved: {}, declined: {} },
}

export const mockCardEntry: SuiteEntry = [mockCard(`${simulatorUrl}/card`), simulatedCard]

/** One method of each kind (src/connectors/simulated-method/methods.ts). */
export const simulatedMethodEntries = entriesOf(
  simulatedMethodConnectors(`${simulatorUrl}/redirect`),
  Object.fromEntries(
    ['mock-alipay', 'mock-blik', 'mock-ideal', 'mock-sepa', 'mock-boleto'].map((id) => [id, simulatedMethod]),
  ),
)
