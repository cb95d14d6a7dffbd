import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BuyerDecision } from '../../src/connector-kit/fake-provider.ts'
import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'
import { hostAdyen } from './adyen.ts'
import { hostCheckout } from './checkout.ts'
import { createDelivery, isLoopback } from './deliver.ts'
import type { FakeName, HostedFake } from './hosted-fake.ts'
import { hostMollie } from './mollie.ts'
import { cardPage, challengePage, SCRIPT_PATH, scriptOf } from './pages.ts'
import { Answered, bodyOf, readRequest, returnUrlsIn } from './read-request.ts'
import { hostStripe } from './stripe.ts'

const hosts = {
  stripe: hostStripe,
  adyen: hostAdyen,
  checkout: hostCheckout,
  mollie: hostMollie,
} satisfies Record<FakeName, (now: number) => HostedFake>

/** The port of each fake, unless another one is asked for. */
export const usualPorts: Readonly<Record<FakeName, number>> = {
  stripe: 4242,
  adyen: 4243,
  checkout: 4244,
  mollie: 4245,
}

const TICK_MS = 250
/** The books are in memory: after so many requests the fake refuses more. */
const MAX_REQUESTS = 20_000
const CHALLENGE_PATH = '/fake/challenge/'

export interface RunningFake {
  url: string
  credentials: HostedFake['credentials']
  effects: HostedFake['effects']
  close(): Promise<void>
}

/** Starts a provider's fake on loopback. `webhook`: where its notifications go, unless a merchant registers a URL. */
export async function startFake(
  name: FakeName,
  {
    port = 0,
    webhook,
    print = () => {},
  }: { port?: number; webhook?: string; print?: (line: string) => void } = {},
): Promise<RunningFake> {
  const fake = hosts[name](Date.now())
  const delivery = createDelivery(print)
  const returnUrls = new Map<string, { approved: string; declined: string }>()
  let webhookUrl: string | undefined
  let requests = 0
  let losesAnswer = false
  let url = ''

  function useWebhook(given: string): void {
    if (!isLoopback(given)) throw new Answered(400, 'the fake sends notifications to this machine only')
    webhookUrl = given
  }

  function deliver(): void {
    fake.setTime(Date.now())
    const due = fake.takeNotifications()
    if (webhookUrl !== undefined) delivery.add(webhookUrl, due)
  }

  /** A request to the provider's API. Its answer leads buyers to the fake's own page. */
  function answerApi(request: HttpRequest): {
    status: number
    headers: Record<string, string>
    text: string
  } {
    requests += 1
    if (requests > MAX_REQUESTS) throw new Answered(429, 'the books are full: start the fake again')
    const registered = fake.webhookUrlIn(request)
    if (registered !== undefined && !isLoopback(registered))
      throw new Answered(400, 'the fake sends notifications to this machine only')
    fake.setTime(Date.now())
    const { status, headers = {}, body } = fake.receive(request)
    if (registered !== undefined && status < 300) useWebhook(registered)
    const returns = returnUrlsIn(request)
    const isJson = headers['content-type'] === undefined
    const text = (body === undefined ? '' : isJson ? JSON.stringify(body) : `${body}`).replaceAll(
      fake.pageUrls,
      (page) => {
        if (returns) returnUrls.set(page, returns)
        return `${url}${CHALLENGE_PATH}${encodeURIComponent(page)}`
      },
    )
    print(`${request.method} ${new URL(request.url).pathname}: ${status}`)
    return { status, headers: { ...headers }, text }
  }

  /** The buyer's decision; answers where their browser goes. */
  function decide(page: string, decision: BuyerDecision): string {
    const returns = returnUrls.get(page)
    if (!returns) throw new Answered(404, 'there is no such page')
    const parameters = fake.visit(page, decision)
    const back = new URL(decision === 'approve' ? returns.approved : returns.declined)
    for (const [key, value] of Object.entries(parameters)) back.searchParams.set(key, value)
    return back.href
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopback(`http://${request.headers.host ?? ''}`))
      throw new Answered(403, 'this is a fake on loopback')
    const { pathname } = new URL(request.url ?? '/', url)
    const text = await bodyOf(request)
    const isPost = request.method === 'POST'
    if (pathname === '/' && !isPost) return html(response, cardPage(name, fake, url))
    if (pathname === SCRIPT_PATH) {
      response.setHeader('content-type', 'text/javascript')
      return void response.end(scriptOf(fake, url))
    }
    if (pathname === '/fake/token' && isPost) {
      const form = new URLSearchParams(text)
      const number = (form.get('number') ?? '').replaceAll(' ', '')
      const token = fake.tokenFor({ number, holderName: form.get('name') ?? '' })
      if (token === undefined) throw new Answered(400, `this is no test card of ${name}`)
      // the page with the script may have any origin
      response.setHeader('access-control-allow-origin', '*')
      return json(response, 200, JSON.stringify({ token }))
    }
    if (pathname.startsWith(CHALLENGE_PATH)) {
      const page = decodeURIComponent(pathname.slice(CHALLENGE_PATH.length))
      if (!isPost) return html(response, challengePage(name))
      const isApproved = new URLSearchParams(text).get('decision') !== 'decline'
      response.writeHead(303, { location: decide(page, isApproved ? 'approve' : 'decline') })
      return void response.end()
    }
    if (pathname === '/fake/lose-answer' && isPost) {
      losesAnswer = true
      return json(response, 200, '{}')
    }
    const movements = fake.effects().length
    const result = answerApi(readRequest(request, text))
    if (losesAnswer && fake.effects().length > movements) {
      losesAnswer = false
      print('the money has moved, and the connection is cut before the answer')
      return void request.socket.destroy()
    }
    const type = { 'content-type': 'application/json' }
    response.writeHead(result.status, { ...type, ...result.headers })
    response.end(result.text)
  }

  const server = createServer((request, response) => {
    answer(request, response)
      .catch((error: unknown) => {
        const status = error instanceof Answered ? error.status : 500
        const message = error instanceof Error ? error.message : 'the fake failed'
        if (status === 500) print(`${request.method} ${request.url}: ${message}`)
        json(response, status, JSON.stringify({ error: { message } }))
      })
      .finally(deliver)
  })
  const ticks = setInterval(deliver, TICK_MS)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  }).catch((error: unknown) => {
    clearInterval(ticks)
    throw error
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  if (webhook !== undefined) {
    useWebhook(webhook)
    fake.registerWebhook(webhook)
  }
  return {
    url,
    credentials: fake.credentials,
    effects: fake.effects,
    close: () =>
      new Promise((resolve) => {
        clearInterval(ticks)
        delivery.stop()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function json(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(text)
}

function html(response: ServerResponse, text: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(text)
}
