import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { runAheadBy } from '../base/account-clock.ts'
import { CLOCK_OFFSET_HEADER } from '../connectors/wire/http.ts'
import { lockFolder } from '../database/embedded/folder-lock.ts'
import { control } from './control/control.ts'
import { readRequest, send } from './core/http.ts'
import { resumePending } from './core/pending.ts'
import { type Call, type Incoming, notFound, problem } from './core/provider-messages.ts'
import { answerCall } from './faults/apply-fault.ts'
import { updaterProvider } from './providers/account-updater/account-updater.routes.ts'
import { antiFraudProvider } from './providers/anti-fraud/anti-fraud.routes.ts'
import { bnplProvider } from './providers/bnpl/bnpl.routes.ts'
import { cardProvider } from './providers/card/card.routes.ts'
import { giftCardProvider } from './providers/gift-card/gift-card.routes.ts'
import { tokenProvider } from './providers/network-tokens/token.routes.ts'
import { redirectProvider } from './providers/redirect/redirect.routes.ts'
import { threeDSecureProvider } from './providers/three-d-secure/three-d-secure.routes.ts'
import { walletProvider } from './providers/wallet/wallet.routes.ts'
import { closeSandbox, openSandbox, type Provider, type Sandbox, type SandboxOptions } from './sandbox.ts'

/** The providers by the first segment of their paths. The state in their memory belongs to one simulator. */
const openProviders = (): ReadonlyMap<string, Provider> =>
  new Map([
    ['anti-fraud', antiFraudProvider],
    ['3ds', threeDSecureProvider],
    ['bnpl', bnplProvider],
    ['card', cardProvider],
    ['redirect', redirectProvider],
    ['tokens', tokenProvider],
    ['updater', updaterProvider],
    ['gift-card', giftCardProvider],
    ['wallet', walletProvider()],
  ])

export interface SimulatorOptions extends SandboxOptions {
  /** 0 or absent: any free port. */
  port?: number
  host?: string
  /** What to do if another process has the books; it ends the message of `FolderInUse`. */
  remedy?: string
}

export interface Simulator {
  url: string
  sandbox: Sandbox
  /**
   * Ends delayed requests and closes every connection; may be called repeatedly. The books stay in their
   * file.
   */
  close(): Promise<void>
}

/** Starts the sandbox's payment providers on their own port, with their own books. */
export async function startSimulator({
  port = 0,
  host = '127.0.0.1',
  remedy = 'stop that process first, or name other books (--books)',
  ...options
}: SimulatorOptions): Promise<Simulator> {
  // two writers of one file would each miss the other's entries
  const lock =
    options.booksFile === undefined
      ? undefined
      : lockFolder(`${options.booksFile}.lock`, "the sandbox's providers", remedy)
  const sandbox = openSandbox({ pagesUrl: () => url, ownUrl: () => url, ...options }, openProviders())
  const end = () => {
    closeSandbox(sandbox)
    lock?.release()
  }
  // longer than any connection pool keeps a connection, so that a reset here is always a fault that was set
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) =>
    handle(sandbox, request, response),
  )
  await listen(server, port, host).catch((error) => {
    end()
    throw error
  })
  const address = server.address()
  const url = `http://${host}:${typeof address === 'object' && address ? address.port : port}`
  resumePending(sandbox)
  let closed: Promise<void> | undefined
  return {
    url,
    sandbox,
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => {
          end()
          resolve()
        })
        server.closeAllConnections()
      })
      return closed
    },
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function handle(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): void {
  readRequest(
    request,
    (incoming) => runAheadBy(clockOffsetIn(incoming) ?? 0, () => dispatch(sandbox, incoming, response)),
    (status, message) => send(response, problem(status, 'invalid_request', message)),
  )
}

function dispatch(sandbox: Sandbox, incoming: Incoming, response: ServerResponse): void {
  const provider = sandbox.providers.get(incoming.path[0] ?? '')
  if (!provider) {
    void control(sandbox, incoming)
      .catch(() => problem(500, 'internal_error', 'the books cannot be written'))
      .then((said) => send(response, said))
    return
  }
  const call = provider.receive(sandbox, incoming)
  if (call) void inAccountTime(sandbox, incoming, call, () => answerCall(sandbox, call, response))
  else send(response, notFound)
}

/** The clock offset in a request; undefined: the caller uses the machine's time, or does not know. */
function clockOffsetIn({ headers }: Incoming): number | undefined {
  const value = headers[CLOCK_OFFSET_HEADER]
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}

/**
 * Runs `work` in the account's time. A buyer's browser does not know the merchant's time, so the offset of
 * the merchant's last request applies.
 */
function inAccountTime<T>(
  { clockOffsets }: Sandbox,
  incoming: Incoming,
  { payment_service_id: service }: Call,
  work: () => T,
): T {
  const offset = clockOffsetIn(incoming)
  if (offset !== undefined) clockOffsets.set(service, offset)
  return runAheadBy(offset ?? clockOffsets.get(service) ?? 0, work)
}
