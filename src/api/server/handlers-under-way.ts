import type { App } from '../app.ts'
import { serviceUnavailable } from '../errors.ts'

/**
 * Makes `app.close()` wait until every handler has ended, and refuses later ones. The HTTP server waits for open
 * connections alone, but a payment goes on when its client disconnects: without this, the database is closed before
 * its outcome is recorded. Add before the routes.
 */
export function awaitHandlers(app: App): void {
  let underWay = 0
  let ended = Promise.withResolvers<void>()
  let isClosed = false
  const end = () => {
    underWay -= 1
    if (underWay > 0) return
    ended.resolve()
    ended = Promise.withResolvers()
  }
  app.addHook('onRoute', (route) => {
    const { handler, onRequest } = route
    // it refuses every request before its handler (`collectAllowedMethods`)
    if (onRequest === handler) return
    route.handler = function (request, reply) {
      // its client has gone, since every connection is closed
      if (isClosed) throw serviceUnavailable()
      const answer = handler.call(this, request, reply)
      if (!(answer instanceof Promise)) return answer
      underWay += 1
      answer.then(end, end)
      return answer
    }
  })
  // runs once the HTTP server has closed
  app.addHook('onClose', async () => {
    while (underWay > 0) await ended.promise
    isClosed = true
  })
}
