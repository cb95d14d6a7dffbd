import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { aheadBy } from '../account-time.ts'
import { AHEAD_HEADER } from '../connectors/http.ts'
import { lockFolder } from '../database/folder-lock.ts'
import { antiFraudProvider } from './anti-fraud/anti-fraud.routes.ts'
import { bnplProvider } from './bnpl/bnpl.routes.ts'
import { cardProvider } from './card/card.routes.ts'
import { control } from './control.ts'
import { giftCardProvider } from './gift-card/gift-card.routes.ts'
import { receive, send } from './http.ts'
import { serve } from './misbehaviour.ts'
import { resumePending } from './pending.ts'
import { type Call, type Incoming, notFound, type Provider, problem } from './provider.ts'
import { redirectProvider } from './redirect/redirect.routes.ts'
import { closeSandbox, openSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
import { threeDSecureProvider } from './three-d-secure/three-d-secure.routes.ts'
import { tokenProvider } from './tokens/token.routes.ts'
import { updaterProvider } from './updater/updater.routes.ts'
import { walletProvider } from './wallet/wallet.routes.ts'

/** The providers by the first segment of their paths. What one keeps in memory is its simulator's alone. */
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
}

export interface Simulator {
  url: string
  /** Drops what is held and every connection, once however often it is asked. The books stay in their file. */
  close(): Promise<void>
}

/** Starts the sandbox's payment providers on a port of their own, with their own books. */
export async function startSimulator({ port = 0, host = '127.0.0.1', ...options }: SimulatorOptions): Promise<Simulator> {
  // two writers of one file would each know half of what happened
  const lock =
    options.booksFile === undefined
      ? undefined
      : lockFolder(`${options.booksFile}.lock`, "the sandbox's providers", 'stop that process first, or name other books')
  const sandbox = openSandbox({ pagesUrl: () => url, ownUrl: () => url, ...options }, openProviders())
  const end = () => {
    closeSandbox(sandbox)
    lock?.release()
  }
  // Longer than any pool keeps a connection: a reset here is always a fault that was asked for.
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => handle(sandbox, request, response))
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
  receive(
    request,
    (incoming) => aheadBy(aheadOf(incoming) ?? 0, () => answer(sandbox, incoming, response)),
    (status, message) => send(response, problem(status, 'invalid_request', message)),
  )
}

function answer(sandbox: Sandbox, incoming: Incoming, response: ServerResponse): void {
  const provider = sandbox.providers.get(incoming.path[0] ?? '')
  if (!provider) {
    void control(sandbox, incoming)
      .catch(() => problem(500, 'internal_error', 'the books cannot be written'))
      .then((said) => send(response, said))
    return
  }
  const call = provider.receive(sandbox, incoming)
  if (call) void inItsTime(sandbox, incoming, call, () => serve(sandbox, call, response))
  else send(response, notFound)
}

/** Undefined: who asks lives in the machine's time, or cannot tell. */
function aheadOf({ headers }: Incoming): number | undefined {
  const given = headers[AHEAD_HEADER]
  return typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : undefined
}

/** A buyer's browser does not know what time it is for the merchant: as late as the merchant has said. */
function inItsTime<T>({ ahead }: Sandbox, incoming: Incoming, { payment_service_id: service }: Call, work: () => T): T {
  const told = aheadOf(incoming)
  if (told !== undefined) ahead.set(service, told)
  return aheadBy(told ?? ahead.get(service) ?? 0, work)
}
