import { createServer } from 'node:http'
import { answer } from '../assistant.ts'
import type { ReceiverAnswer, ReceiverQuestion } from './receiver.ts'

const LOOK_MS = 20

let arrivals = new Map<string, number>()
let requests = 0
let [first, last] = [0, 0]

const server = createServer((request, reply) => {
  request.resume()
  request.on('end', () => {
    last = performance.now()
    if (requests === 0) first = last
    requests += 1
    const delivery = `${request.url} ${request.headers['webhook-id']}`
    if (!arrivals.has(delivery)) arrivals.set(delivery, Date.now())
    reply.writeHead(200).end()
  })
})
server.keepAliveTimeout = 60_000

answer(async (question: ReceiverQuestion): Promise<ReceiverAnswer> => {
  if (question.ask === 'listen') await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  if (question.ask === 'forget') [arrivals, requests] = [new Map(), 0]
  if (question.ask === 'wait') {
    const deadline = performance.now() + question.withinMs
    while (arrivals.size < question.deliveries && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return { url, deliveries: arrivals.size, requests, seconds: (last - first) / 1_000, arrivals }
})
