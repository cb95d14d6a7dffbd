import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { cardPayment, cardSession, express, priceShipping, transaction } from './order.mjs'
import { explain, paymentService, railyard, refuseToOpen, rejectedKey, url } from './railyard.mjs'
import { receive, told } from './webhook.mjs'

const mended = (error) => refuseToOpen(error.status === 401 ? rejectedKey : explain(error))
const services = {
  wallet: await paymentService('wallet-wallet').catch(mended),
  bnpl: await paymentService('bnpl-bnpl').catch(mended),
}
const files = {
  '/elements.js': import.meta.resolve('@railyard/elements'),
  '/': 'index.html',
  '/checkout.js': 'checkout.js',
  '/shop.css': 'shop.css',
  '/card': 'card.html',
  '/card.js': 'card.js',
}
const types = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
}
const uuid = /^[0-9a-f-]{36}$/

async function textOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function read(request, text) {
  if (text === '') return {}
  return request.headers['content-type']?.startsWith('application/json')
    ? JSON.parse(text)
    : Object.fromEntries(new URLSearchParams(text))
}

const escaped = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const titles = {
  authorization_succeeded: 'Thank you for your order',
  capture_succeeded: 'Thank you for your order',
  capture_pending: 'Thank you for your order',
  processing: 'Your payment is being processed',
  buyer_approval_pending: 'Your payment waits for you',
}

/**
 * The page that buyers come back to. The address says how it went, but any visitor can type it: the
 * status is read from Railyard.
 */
async function returned(id) {
  const payment = uuid.test(id)
    ? await railyard.transactions.get(id)
    : { status: 'unknown', currency: 'EUR', authorized_amount: 0 }
  const { status, currency, authorized_amount, error_code } = payment
  const amount = new Intl.NumberFormat('en', { style: 'currency', currency }).format(authorized_amount / 100)
  const values = {
    amount,
    status,
    title: titles[status] ?? 'This payment did not go through',
    reason: error_code ?? '–',
  }
  const page = await readFile(join(import.meta.dirname, 'return.html'), 'utf8')
  return page.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? escaped(values[name]) : whole))
}

/** The page with the card form runs only this shop's scripts, and shows only Railyard's frame. */
const cardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  `frame-src ${new URL(url).origin}`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')
const policies = {
  '/card': {
    'content-security-policy': cardPolicy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
}

/** What this server answers: a status, the body, and its type or where to go. */
const routes = {
  'GET /shop.json': async () => [200, JSON.stringify({ ...services, express }), types.json],
  // a redirect: the buyer's browser goes to the payment provider, and comes back to /return
  'POST /pay/redirect': async ({ method, ...choices }) => {
    const { id, payment_method } = await railyard.transactions.create(
      transaction(method, services[method], shop, choices),
    )
    return [303, '', payment_method.approval_url ?? `/return?svc_transaction_id=${id}`]
  },
  // on the page: the browser is given the session token, which opens this one payment and nothing else
  'POST /pay/page': async ({ method, ...choices }) => {
    const { id, status, session_token } = await railyard.transactions.create(
      transaction(method, services[method], shop, choices),
    )
    const session = `${url}/transactions/${id}/session`
    return [201, JSON.stringify({ id, status, session_token, session }), types.json]
  },
  // by card: the browser is given a session to put the card into, past this server
  'POST /card/session': async () => {
    const { id } = await railyard.checkout.sessions.create(cardSession())
    return [201, JSON.stringify({ session: id, origin: url }), types.json]
  },
  'POST /card/pay': async ({ session }) => {
    if (!uuid.test(session)) return [400, '{}', types.json]
    const { id, payment_method } = await railyard.transactions.create(cardPayment(session, shop))
    const next = payment_method.approval_url ?? `/return?svc_transaction_id=${id}`
    return [201, JSON.stringify({ next }), types.json]
  },
  'POST /complete': async ({ id, authorization_token }) => {
    if (!uuid.test(id)) return [400, '{}', types.json]
    const { status } = await railyard.transactions.complete(id, { authorization_token })
    return [200, JSON.stringify({ id, status }), types.json]
  },
  'GET /return': async (_body, query) => [
    200,
    await returned(query.get('svc_transaction_id') ?? ''),
    types.html,
  ],
  'POST /shipping': async (body) => {
    const [status, answer] = priceShipping(body)
    return [status, JSON.stringify(answer), types.json]
  },
  'GET /events.json': async () => [200, JSON.stringify(told()), types.json],
}

const server = createServer(async (request, response) => {
  try {
    const { pathname, searchParams } = new URL(request.url, shop)
    const text = await textOf(request)
    // before anything reads it: the signature is over the text as it came
    if (`${request.method} ${pathname}` === 'POST /webhooks')
      return response.writeHead(await receive(request.headers, text)).end()
    const route = routes[`${request.method} ${pathname}`]
    const file = request.method === 'GET' && files[pathname]
    const [status, body, extra] = route
      ? await route(read(request, text), searchParams)
      : file
        ? [200, await readFile(new URL(file, import.meta.url)), types[extname(file).slice(1)]]
        : [404, '{}', types.json]
    response
      .writeHead(
        status,
        status === 303
          ? { location: extra }
          : { 'content-type': extra, 'cache-control': 'no-store', ...policies[pathname] },
      )
      .end(body)
  } catch (error) {
    response.writeHead(502, { 'content-type': types.json }).end(JSON.stringify({ message: explain(error) }))
  }
})

const port = Number(process.env.PORT ?? 4000)
if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
  refuseToOpen(`PORT must be a whole number from 0 to 65535, and is ${process.env.PORT}`)
server.once('error', ({ code, message }) =>
  refuseToOpen(
    code === 'EADDRINUSE'
      ? `port ${port} is taken: PORT says on which the shop listens, and RAILYARD_URL where Railyard is`
      : message,
  ),
)
await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
const shop = `http://127.0.0.1:${server.address().port}`
console.log(`the example shop is at ${shop}`)
